"""
Answers of several spans, as tags of the passage's tokens (BIO): `OUTSIDE`, `BEGIN` or `INSIDE` of a span.
"""

import torch

from allennlp_coref_rc.data.dataset_readers.annotated_squad import BEGIN, INSIDE, OUTSIDE

_STATES = [OUTSIDE, BEGIN, INSIDE, OUTSIDE]
"""
The tags of the states that a token can be in: before the first span, first of one, inside of one, after one.
"""

_FOLLOWING = [(0, 1), (1, 2, 3), (1, 2, 3), (1, 3)]
"""The states that may follow each state."""

_FIRST, _LAST = (0, 1), (1, 2, 3)
"""The states that a passage may begin with and end with."""


def tag_loss(log_probabilities: torch.Tensor, tags: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """
    The mean negative log-probability of the expected tags. For each passage this is a sum over its tokens, as
    if their tags were independent. Questions without a span add no loss.

    # Parameters

    log_probabilities : `torch.Tensor`
        Shape: (batch_size, sequence_length, 3).
    tags : `torch.LongTensor`
        Shape: (batch_size, sequence_length).
    mask : `torch.BoolTensor`
        Shape: (batch_size, sequence_length).
    """
    known = ((tags != OUTSIDE) & mask).any(dim=1)
    chosen = log_probabilities.gather(2, tags.unsqueeze(2)).squeeze(2).masked_fill(~mask, 0.0).sum(dim=1)
    return -(chosen * known).sum() / known.sum().clamp(min=1)


def best_spans(log_probabilities: torch.Tensor, mask: torch.Tensor) -> list[list[tuple[int, int]]]:
    """
    The spans of the most probable sequence of tags that has at least one span, and in which no token is
    inside a span that has not begun (Viterbi's algorithm). A span is a pair of its first and its last token.

    # Parameters

    log_probabilities : `torch.Tensor`
        Shape: (batch_size, sequence_length, 3).
    mask : `torch.BoolTensor`
        Shape: (batch_size, sequence_length). True for the first tokens of each passage, one or more.
    """
    emissions, mask = log_probabilities.detach().float().cpu()[:, :, _STATES], mask.cpu()
    transitions = torch.stack([_only(states) for states in _FOLLOWING])
    scores = emissions[:, 0] + _only(_FIRST)
    stay = torch.arange(len(_STATES))
    pointers = []
    for i in range(1, mask.size(1)):
        best, previous = (scores.unsqueeze(2) + transitions).max(dim=1)
        token = mask[:, i].unsqueeze(1)
        scores = torch.where(token, best + emissions[:, i], scores)
        pointers.append(torch.where(token, previous, stay))
    states = [(scores + _only(_LAST)).argmax(dim=1, keepdim=True)]
    for pointer in reversed(pointers):
        states.append(pointer.gather(1, states[-1]))
    paths = torch.cat(states[::-1], dim=1)
    return [_spans(path[:length]) for path, length in zip(paths.tolist(), mask.sum(dim=1).tolist())]


def _only(states: tuple[int, ...]) -> torch.Tensor:
    """Scores that allow some states alone."""
    scores = torch.full((len(_STATES),), -torch.inf)
    scores[list(states)] = 0.0
    return scores


def _spans(states: list[int]) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    for i, state in enumerate(states):
        if _STATES[state] == BEGIN:
            spans.append((i, i))
        elif _STATES[state] == INSIDE:
            spans[-1] = (spans[-1][0], i)
    return spans
