from collections import Counter
from collections.abc import Iterable, Sequence, Set
from typing import Any, Optional

import torch
from allennlp.data import Vocabulary
from allennlp.models import Model
from allennlp.nn.util import dist_reduce_sum
from allennlp.training.metrics import Metric
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from allennlp_coref_rc.annotations.annotated_text import Frame
from allennlp_coref_rc.annotations.annotators.roles.network import Batch, Frames, RoleNetwork, log_likelihood
from allennlp_coref_rc.annotations.bio import PREDICATE


class RoleScores(Metric):
    """
    Precision, recall and F1 of arguments and of predicates, as in CoNLL-2005 (Carreras and Màrquez, 2005). An
    argument is right if the first token of its predicate, its role and its span are those of a gold one. The
    verb itself does not count. `C-` and `R-` arguments count as they are.
    """

    def __init__(self) -> None:
        self.reset()

    def __call__(self, predictions: Sequence[Sequence[Frame]], gold: Sequence[Sequence[Frame]]) -> None:  # type: ignore[override]
        """Adds the frames of some sentences."""
        for frames in zip(predictions, gold):
            self._count("predicates", *({frame.predicate[0] for frame in some} for some in frames))
            self._count("arguments", *(_arguments(some) for some in frames))

    def _count(self, kind: str, found: Set[Any], gold: Set[Any]) -> None:
        for what, items in ("right", found & gold), ("found", found), ("gold", gold):
            self._counts[kind, what] += dist_reduce_sum(len(items))

    def get_metric(self, reset: bool = False) -> dict[str, float]:
        """
        For example `arguments_precision`, `arguments_recall` and `arguments_f1`; 0 where there are none.
        """
        values = {}
        for kind in ("arguments", "predicates"):
            right, found, gold = (self._counts[kind, what] for what in ("right", "found", "gold"))
            values[f"{kind}_precision"] = right / found if found else 0.0
            values[f"{kind}_recall"] = right / gold if gold else 0.0
            values[f"{kind}_f1"] = 2 * right / (found + gold) if found + gold else 0.0
        if reset:
            self.reset()
        return values

    def reset(self) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()


def _arguments(frames: Iterable[Frame]) -> set[Any]:
    return {
        (frame.predicate[0], role, span) for frame in frames for role, span in frame.arguments if role != "V"
    }


@Model.register("role_labeller")
class RoleLabeller(Model):
    """
    Trains the `RoleNetwork` of the annotator `roles`. The loss of a sentence is the cross entropy of its
    predicates, summed over tokens, and the negative logarithm of the probability of each frame's tags.

    Registered as a `Model` with name "role_labeller".

    # Parameters

    vocab : `Vocabulary`
        It may be empty.
    network : `dict[str, Any]`
        The parameters of `RoleNetwork`. Arguments with other roles are not learnt.
    """

    def __init__(self, vocab: Vocabulary, network: dict[str, Any], **kwargs: Any) -> None:
        super().__init__(vocab, **kwargs)
        self.network = RoleNetwork(**network)
        self._scores = {name: RoleScores() for name in ("", "given_predicates_")}

    def forward(
        self,
        features: Tensor,
        heads: Tensor,
        vectors: Tensor,
        lengths: Tensor,
        frames: list[Optional[list[Frame]]],
    ) -> dict[str, Any]:
        """
        # Parameters

        features : `Tensor`
            Shape: (sentences, tokens, features)
        heads : `Tensor`
            Shape: (sentences, tokens)
        vectors : `Tensor`
            Shape: (sentences, tokens, width)
        lengths : `Tensor`
            Shape: (sentences,)
        frames : `list[Optional[list[Frame]]]`
            The gold frames of each sentence.

        # Returns

        `loss`, if there are gold frames; when not training, also `frames`, a list for each sentence.
        """
        batch = Batch(features, heads, vectors, lengths)
        output: dict[str, Any] = {}
        gold = [sentence for sentence in frames if sentence is not None]
        if len(gold) == len(frames):
            output["loss"] = self._loss(batch, gold)
        if not self.training:
            output["frames"] = self.network.label(batch)
            if "loss" in output:
                self._scores[""](output["frames"], gold)
                self._scores["given_predicates_"](self.network.label(batch, _predicates(gold)), gold)
        return output

    def _loss(self, batch: Batch, gold: Sequence[Sequence[Frame]]) -> Tensor:
        encoded, predicates = self.network.encode(batch), _predicates(gold)
        scores, mask = self.network.score_predicates(encoded), batch.mask()
        is_predicate = torch.zeros_like(scores)
        is_predicate[predicates] = 1
        loss = binary_cross_entropy_with_logits(scores[mask], is_predicate[mask], reduction="sum")
        if len(predicates.sentence):
            scores = self.network.score_tags(batch, encoded, predicates)
            loss = (
                loss
                - log_likelihood(scores, self._tags(batch, gold), batch.lengths[predicates.sentence]).sum()
            )
        return loss / len(gold)

    def _tags(self, batch: Batch, gold: Sequence[Sequence[Frame]]) -> Tensor:
        """As `log_likelihood` numbers them. *Shape:* (predicates, tokens)."""
        index = {role: i for i, role in enumerate(self.network.roles)}
        rows = []
        for frames in gold:
            for frame in frames:
                row = [0] * batch.heads.shape[1]
                for role, (start, stop) in [(PREDICATE, frame.predicate), *frame.arguments]:
                    if role in index:
                        inside = 1 + index[role] + len(index)
                        row[start:stop] = [1 + index[role]] + [inside] * (stop - start - 1)
                rows.append(row)
        return torch.tensor(rows)

    def get_metrics(self, reset: bool = False) -> dict[str, float]:
        """Of arguments found from tokens alone; of arguments with the predicates given; of predicates."""
        return {
            f"{prefix}{name}": value
            for prefix, scores in self._scores.items()
            for name, value in scores.get_metric(reset).items()
            if not (prefix and name.startswith("predicates"))
        }


def _predicates(gold: Sequence[Sequence[Frame]]) -> Frames:
    places = [(i, frame.predicate[0]) for i, frames in enumerate(gold) for frame in frames]
    return Frames(*torch.tensor(places, dtype=torch.long).reshape(-1, 2).T)
