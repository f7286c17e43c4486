from collections.abc import Sequence
from typing import Any, Optional, Self

import torch
from allennlp.modules import Seq2SeqEncoder

from allennlp_coref_rc.common.checks import check_number
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.data.annotation_layers.edges import FIRST_MENTION, PADDING
from allennlp_coref_rc.modules.initializers import gated_normal_
from allennlp_coref_rc.modules.pair import TokenVectors
from allennlp_coref_rc.modules.recurrence import Edges, joined
from allennlp_coref_rc.modules.seq2seq_encoders.recurrent_encoder import RecurrentEncoder, rnn_shapes


@Seq2SeqEncoder.register("coref_gru")
class CorefGRU(RecurrentEncoder):
    """
    The Coref-GRU of `Neural Models for Reasoning over Multiple Mentions using Coreference
    <https://aclanthology.org/N18-2007>`_ (Dhingra et al., NAACL 2018), Appendix A: a GRU with a two-part
    state. One part passes from token to token, the other from mention to mention of the same entity. Each
    token weighs the states that it reads by a softmax over keys, one for each kind of edge.

    Gates, their order and the parameters are those of `torch.nn.GRU` (reset, update, candidate). The update
    gate keeps the old state, so it is one minus the paper's, and the second bias is not in the paper. Without
    annotations this encoder is the same as a `torch.nn.GRU`: `from_torch` and `to_torch` convert.

    With annotations, the coreferent part of the state comes only from mentions: a token outside all clusters
    reads zeros there and carries them on (equation 3 of the appendix, and the code).

    Where this departs from the authors' code:

    * states are read back from the outputs, so memory grows with tokens, not with tokens times clusters;
    * in backward reading, the passage starts from the question's whole memory. The code means to do the same,
      but through an index error it passes on the memory after the first step. This is the memory of the
      question's last token if the question is as long as the longest one in the data, and nothing otherwise.
      With `questions_padded_to` this encoder does the same as the code;
    * outputs are zero where masked, as in AllenNLP's encoders.

    The annotation layer `coref_edges` chooses which tokens of a mention read and write.

    Registered as a `Seq2SeqEncoder` with name "coref_gru".

    # Parameters

    input_size : `int`
    hidden_size : `int`
        The size of one direction, the paper's d. Has to be divisible by the number of relations plus one.
    bidirectional : `bool`, optional (default = `True`)
    relations : `list[str]`, optional (default = `["coref"]`)
        The annotation layers whose edges are read, each with its own part of the state and its own key. The
        paper has one relation. Encoders of passage and question that share their memory need the same
        relations in the same order.
    read_at_first_mention : `bool`, optional (default = `True`)
        A mention without an antecedent reads zeros, with a weight that is taken from the sequential part (the
        authors' bAbI code, and their WikiHop data). If false, it reads only the sequential part (the paper's
        text: alpha is 1).
    share_memory : `bool`, optional (default = `True`)
        Has an effect if passage and question are each encoded by a `coref_gru`. In forward reading, the
        question then starts from the states of the passage; in backward reading, the passage starts from the
        states of the question. Mentions of one cluster are linked across both texts.
    questions_padded_to : `int`, optional (default = `None`)
        The length of the longest question, in tokens. With it, the passage gets in backward reading what it
        gets in the authors' code for LAMBADA, which pads all questions to this length. If a question has this
        length or more, the passage gets the state of the question's last token, and edges to other tokens of
        the question read zeros. If the question is shorter, the passage gets nothing. By default the passage
        gets the whole memory of each question. The length belongs to the data set, not to a batch, so results
        do not depend on how a batch is padded. The encoders of passage and question need the same value, and
        `share_memory`.

        One difference from the code is left. If a cluster has the question's last token and also an earlier
        token of the question, the passage's mentions read the earlier one, that is, zeros. This does not
        happen if questions end with "@end", which is in no cluster.
    backend : `str`, optional (default = `"auto"`)
        The backend of the `recurrence`.

    # Example

    ```jsonnet
    {"type": "coref_gru", "input_size": 128, "hidden_size": 64}
    ```
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bidirectional: bool = True,
        relations: Sequence[str] = ("coref",),
        read_at_first_mention: bool = True,
        share_memory: bool = True,
        questions_padded_to: Optional[int] = None,
        backend: str = "auto",
    ) -> None:
        parts = 1 + len(relations)
        if hidden_size < 1 or hidden_size % parts:
            raise ConfigurationError(
                f"coref_gru: hidden_size is {hidden_size}, expected a positive multiple of {parts}: one part for the "
                f"sequence and one for each of the relations {list(relations)}"
            )
        check_number("coref_gru", "questions_padded_to", questions_padded_to)
        if questions_padded_to is not None and not share_memory:
            raise ConfigurationError(
                f"coref_gru: questions_padded_to is {questions_padded_to} and share_memory false, expected one of "
                "them: without a shared memory nothing is handed over"
            )
        super().__init__(
            input_size,
            hidden_size,
            {**rnn_shapes(input_size, 3 * hidden_size, hidden_size), "keys": (parts, input_size)},
            relations,
            bidirectional,
            share_memory,
            backend,
        )
        self._part_size = hidden_size // parts
        self._read_at_first_mention = read_at_first_mention
        self._questions_padded_to = questions_padded_to
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """
        As in the authors' code: weights by `gated_normal_`, biases zero, keys normal with standard deviation
        0.1.
        """
        for name, parameter in self.named_parameters():
            if name.startswith("weight"):
                gated_normal_(parameter, gates=3)
            elif name.startswith("bias"):
                torch.nn.init.zeros_(parameter)
            else:
                torch.nn.init.normal_(parameter, std=0.1)

    @classmethod
    def from_torch(cls, gru: torch.nn.GRU, **options: Any) -> Self:
        """
        Makes a Coref-GRU with the parameters of a `torch.nn.GRU` of one layer. Without annotations, both have
        the same outputs. The keys are new. `options` are further arguments of the constructor.
        """
        return cls(gru.input_size, gru.hidden_size, bidirectional=gru.bidirectional, **options).load_torch(
            gru
        )

    def _pair_settings(self) -> dict[str, Any]:
        return {
            **super()._pair_settings(),
            "relations": self._relations,
            "questions_padded_to": self._questions_padded_to,
        }

    def _handed_over(
        self, text: TokenVectors, states: torch.Tensor, reverse: bool
    ) -> tuple[torch.Tensor, torch.Tensor]:
        if not reverse or self._questions_padded_to is None:
            return super()._handed_over(text, states, reverse)
        lengths = text.lengths().unsqueeze(1)
        positions = torch.arange(1, text.mask.size(1) + 1, device=lengths.device)
        kept = (positions == lengths) & (lengths >= self._questions_padded_to)
        return states * kept.unsqueeze(2), kept

    def _edge_settings(self) -> tuple[Any, ...]:
        return self._hidden_size, *self._relations, self._read_at_first_mention

    def _edges(self, dtype: torch.dtype, sequential: torch.Tensor, *relations: torch.Tensor) -> list[Edges]:
        """
        Sequential edges and the edges of each relation. They have weight 1 if they take part in the softmax.
        """
        size = self._part_size if relations else self._hidden_size
        sources = joined([sequential, *relations])
        exists = torch.ne(
            sources, PADDING, out=torch.empty(sources.shape, dtype=dtype, device=sources.device)
        )
        if not self._read_at_first_mention:
            exists[..., 1:] *= sources[..., 1:] != FIRST_MENTION
        weights = exists.split([1, *(relation.size(2) for relation in relations)], dim=2)
        return [
            Edges(*edge, i * size, (i + 1) * size)
            for i, edge in enumerate(zip((sequential, *relations), weights))
        ]
