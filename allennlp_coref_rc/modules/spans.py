from typing import Any, Optional

import torch
from torch.nn.functional import max_pool1d, pad


def best_span(
    start_scores: torch.Tensor, end_scores: torch.Tensor, max_length: Optional[int] = None
) -> torch.Tensor:
    """
    The span with the highest score, which is the sum of the scores of its first and its last token. The
    function finds the best start for each end, so memory grows with the length of the sequence, not with the
    number of spans.

    # Parameters

    start_scores, end_scores : `torch.Tensor`
        Shape: (batch_size, sequence_length).
    max_length : `int`, optional (default = `None`)
        The longest span in tokens, one or more. By default there is no limit.

    # Returns

    `torch.LongTensor`
        Shape: (batch_size, 2). The first and the last token.
    """
    length = start_scores.size(1)
    if max_length is None:
        scores, starts = start_scores.cummax(dim=1)
    else:
        # Also of short sequences, as `cummax` takes another one of equal scores.
        longest = min(max_length, length)
        before = longest - 1
        padded = pad(start_scores, (before, 0), value=-torch.inf)
        scores, starts = max_pool1d(padded, longest, stride=1, return_indices=True)
        starts = starts - before
    ends = (scores + end_scores).argmax(dim=1, keepdim=True)
    return torch.cat([starts.gather(1, ends), ends], dim=1)


def span_loss(
    start_log_probabilities: torch.Tensor,
    end_log_probabilities: torch.Tensor,
    span_start: torch.Tensor,
    span_end: torch.Tensor,
) -> torch.Tensor:
    """
    The mean negative log-probability of the first and the last token of the expected spans. Spans of -1 add
    no loss.

    # Parameters

    start_log_probabilities, end_log_probabilities : `torch.Tensor`
        Shape: (batch_size, sequence_length).
    span_start, span_end : `torch.LongTensor`
        Shape: (batch_size, 1).

    # Returns

    `torch.Tensor`
        Shape: ().
    """
    known = torch.minimum(span_start, span_end) >= 0
    chosen = start_log_probabilities.gather(1, span_start.clamp(min=0))
    chosen = chosen + end_log_probabilities.gather(1, span_end.clamp(min=0))
    return -chosen.masked_fill(~known, 0.0).sum() / known.sum().clamp(min=1)


def span_text(metadata: dict[str, Any], first: int, last: int) -> str:
    """
    The text of a span of the passage, from its first to its last token. This is the piece of the
    `original_passage` at the span's `token_offsets`. Without offsets, it is the tokens joined by blanks.
    """
    if "token_offsets" not in metadata:
        return " ".join(metadata["passage_tokens"][first : last + 1])
    offsets = metadata["token_offsets"]
    return metadata["original_passage"][offsets[first][0] : offsets[last][1]]
