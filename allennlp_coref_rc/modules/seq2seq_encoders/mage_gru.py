from typing import Any, Optional, Self, cast

import torch
from allennlp.modules import Seq2SeqEncoder

from allennlp_coref_rc.common.checks import check_choice
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.data.annotation_layers.edges import question_first_name
from allennlp_coref_rc.data.fields import AnnotationTensors
from allennlp_coref_rc.modules.recurrence import Edges
from allennlp_coref_rc.modules.seq2seq_encoders.recurrent_encoder import (
    EncoderAndText,
    RecurrentEncoder,
    rnn_shapes,
)

SEQUENTIAL = "sequential"

VARIANTS = ("mage", "shared", "dag_rnn")

CARRIES = ("gathered", "previous")

OPEN = 50.0
"""
sigmoid(50) rounds to 1, in float64 too; sigmoid(-50) = 2e-22 is nothing beside a state, but no denormal
number.
"""


@Seq2SeqEncoder.register("mage_gru")
class MageGRU(RecurrentEncoder):
    """
    The MAGE-GRU of `Linguistic Knowledge as Memory for Recurrent Neural Networks
    <https://arxiv.org/abs/1703.02620>`_ (Dhingra et al., 2017): a GRU whose state has a part for each type of
    edge. For each part, a token reads the states at the other ends of its edges of this type, or zeros if it
    has no such edge. Each gate sees all parts (equation 2). If several edges of one type enter a token, their
    states are summed. Since U is linear, this is the sum of products in equation 2; equation 4 is the case of
    one edge. A token in several clusters reads one state from each cluster, even if one token wrote all these
    states.

    Gates, their order, and the parameters and their number are those of `torch.nn.GRU`. The update gate keeps
    the old state, so it is one minus the paper's, and the second bias is not in the paper. Without
    annotations this encoder is the same as a `torch.nn.GRU`: `from_torch` and `to_torch` convert.

    Two sequences. By default passage and question each have an encoder, as in the authors' code. In forward
    reading, mentions in the question read the states of mentions in the passage; in backward reading,
    mentions in the passage read the states of mentions in the question. The sequential state does not pass
    from one text to the other (in `coref_gru` it does). With `joint`, both texts are read as one sequence, as
    in the paper's section 3.3. Then the sequential state passes on too. In training, each encoder (of a GA
    Reader: each layer) chooses at random for each batch which text comes first; in evaluation it is the
    passage. The paper has a single encoder for both texts: leave out `question_encoders` in `ga_reader`.

    Where this departs:

    * from the paper, by default: the update gate keeps the state that was read, as in the authors' code,
      which gave the published numbers. Equations 2 and 4 have the previous token's state instead (`carry`
      "previous");
    * from the code: there may be any number of relations and of edges; gradients are not clipped within the
      backward pass (the code clips them to 10 in each step); outputs are zero where masked.

    Registered as a `Seq2SeqEncoder` with name "mage_gru".

    # Parameters

    input_size : `int`
    hidden_size : `int`, optional (default = `None`)
        The size of one direction, in place of `state_sizes`: the types are then "sequential" and "coref", to
        which variant "mage" gives a quarter of the state.
    bidirectional : `bool`, optional (default = `True`)
    state_sizes : `dict[str, int]`, optional (default = `None`)
        How large a state each type of edge carries. The types are "sequential", from the token before, and
        any annotation layers of edges. In variant "mage" these are the sizes of the state's parts, which add
        up to the hidden size of one direction (the paper has 48 and, for coreference, 16 on bAbI; 240 and 16
        on CNN). In the other variants each type carries the whole state, so all sizes are the hidden size.
        The state begins with the sequential part; the other parts follow in the order of their names, not in
        the given order.
    variant : `str`, optional (default = `"mage"`)
        `"shared"`: the state is not split, and the edges of each relation carry whole states. The gates read
        m_t = [h_{t-1}; S], so U has more columns, and h_{t-1} is carried on (the "MAGE (shared)" of Table 1,
        as in the code). `"dag_rnn"`: h_t = tanh(x_t W + m_t U + b) instead (the "DAG-RNN" of Table 1, as in
        the code; without annotations a `torch.nn.RNN`). It runs as a GRU whose gates are held open, so that
        the fast backends can run it. On a GPU, both variants run in plain PyTorch, and so does `carry`
        "previous", because the fused kernel has no edges that move a part of the state to another place.
    carry : `str`, optional (default = `"gathered"`)
        The state that the update gate keeps in variant "mage": `"gathered"`, the state that was read (the
        code), or `"previous"`, the state of the token before (equations 2 and 4).
    share_memory : `bool`, optional (default = `True`)
        Whether edges lead from passage to question and back, if each is encoded by a `mage_gru`.
    joint : `bool`, optional (default = `False`)
        Read passage and question as one sequence in random order. The annotation layer then needs
        `question_first: true`.
    backend : `str`, optional (default = `"auto"`)
        The backend of the `recurrence`.

    # Example

    ```jsonnet
    {"type": "mage_gru", "input_size": 128, "state_sizes": {"sequential": 48, "coref": 16}}
    ```
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: Optional[int] = None,
        bidirectional: bool = True,
        state_sizes: Optional[dict[str, int]] = None,
        variant: str = "mage",
        carry: str = "gathered",
        share_memory: bool = True,
        joint: bool = False,
        backend: str = "auto",
    ) -> None:
        check_choice("mage_gru", "variant", variant, VARIANTS)
        check_choice("mage_gru", "carry", carry, CARRIES)
        if carry != CARRIES[0] and variant != VARIANTS[0]:
            raise ConfigurationError(
                f"mage_gru: carry is {carry!r}, expected no choice of it in variant {variant!r}"
            )
        if joint and not share_memory:
            raise ConfigurationError(
                "mage_gru: joint is true and share_memory false, expected both or neither"
            )
        if (hidden_size is None) == (state_sizes is None):
            raise ConfigurationError(
                f"mage_gru: hidden_size is {hidden_size} and state_sizes {state_sizes}, expected one of them"
            )
        if state_sizes is None:
            size = cast(int, hidden_size)
            state_sizes = {SEQUENTIAL: size, "coref": size}
            if variant == VARIANTS[0]:
                state_sizes = {SEQUENTIAL: size - size // 4, "coref": size // 4}
        if SEQUENTIAL not in state_sizes or min(state_sizes.values()) < 1:
            raise ConfigurationError(
                f"mage_gru: state_sizes is {dict(state_sizes)}, expected a positive size for each type of edge, of "
                f"which one is {SEQUENTIAL!r}"
            )
        if variant != VARIANTS[0] and len(set(state_sizes.values())) > 1:
            raise ConfigurationError(
                f"mage_gru: state_sizes is {dict(state_sizes)}, expected equal sizes in variant {variant!r}, where "
                "each relation carries the whole state"
            )
        # Jsonnet sorts keys, Python does not: the parameters' meaning must not depend on it.
        relations = sorted(set(state_sizes) - {SEQUENTIAL})
        width = sum(state_sizes.values())
        split, cell_is_tanh = variant == "mage", variant == "dag_rnn"
        hidden_size = width if split else state_sizes[SEQUENTIAL]
        shapes = rnn_shapes(input_size, hidden_size if cell_is_tanh else 3 * hidden_size, width)
        super().__init__(input_size, hidden_size, shapes, relations, bidirectional, share_memory, backend)
        self._sizes = [state_sizes[name] for name in [SEQUENTIAL, *relations]]
        self._split = split
        self._cell_is_tanh = cell_is_tanh
        self._carries_previous = carry == "previous"
        self._joint = joint
        self.hands_on_sequential_state = joint
        if cell_is_tanh:
            self.torch_class = torch.nn.RNN
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """As in the authors' code: weights normal with standard deviation 0.1, biases zero."""
        for name, parameter in self.named_parameters():
            if name.startswith("weight"):
                torch.nn.init.normal_(parameter, std=0.1)
            else:
                torch.nn.init.zeros_(parameter)

    @classmethod
    def from_torch(cls, rnn: torch.nn.RNNBase, state_sizes: dict[str, int], **options: Any) -> Self:
        """
        Makes a MAGE-GRU with the parameters of a `torch.nn.GRU` of one layer (of a `torch.nn.RNN`, for
        variant "dag_rnn"). Without annotations, both have the same outputs. Weights that only annotations use
        are new. `options` are further arguments of the constructor.
        """
        encoder = cls(rnn.input_size, bidirectional=rnn.bidirectional, state_sizes=state_sizes, **options)
        return encoder.load_torch(rnn)

    def _pair_settings(self) -> dict[str, Any]:
        sizes = dict(zip([SEQUENTIAL, *self._relations], self._sizes))
        return {**super()._pair_settings(), "state_sizes": sizes, "joint": self._joint}

    def _encode_pair(self, *pairs: EncoderAndText) -> tuple[torch.Tensor, torch.Tensor]:
        if not self._joint:
            return super()._encode_pair(*pairs)
        question_first = [
            (encoder, text._replace(annotations=self._question_first(text.annotations or {})))
            for encoder, text in reversed(pairs)
        ]
        if self.training and torch.rand((), device="cpu") < 0.5:
            question, passage = super()._encode_pair(*question_first)
            return passage, question
        return super()._encode_pair(*pairs)

    def _question_first(self, annotations: AnnotationTensors) -> AnnotationTensors:
        """The edges for reading the question first, by the names of the layers without this option."""
        for relation in self._relations:
            if question_first_name("antecedents") not in annotations.get(relation, {}):
                raise ConfigurationError(
                    f"mage_gru with joint: true needs the edges of {relation!r} in both orders of passage and question;"
                    f" add question_first: true to {self.source_of_layers}.{relation}"
                )
        names = "antecedents", "descendants"
        return {
            relation: {name: annotations[relation][question_first_name(name)] for name in names}
            for relation in self._relations
        }

    def _gru_parameters(self, suffix: str) -> tuple[torch.Tensor, ...]:
        weight_ih, weight_hh, bias_ih, bias_hh = super()._gru_parameters(suffix)
        size = self._hidden_size
        if self._cell_is_tanh:
            # A GRU with r = 1 and z = 0.
            gates = bias_ih.new_full((size,), OPEN), bias_ih.new_full((size,), -OPEN)
            top = 2 * size, 0
            weight_ih, weight_hh = (torch.nn.functional.pad(w, (0, 0, *top)) for w in (weight_ih, weight_hh))
            bias_ih, bias_hh = torch.cat([*gates, bias_ih]), torch.nn.functional.pad(bias_hh, top)
        if self._carries_previous:
            # The whole previous state is read, for the carry; the gates see its sequential part alone.
            sequential, others = weight_hh.split([self._sizes[0], sum(self._sizes[1:])], dim=1)
            weight_hh = torch.cat([sequential, torch.zeros_like(others), others], dim=1)
        return weight_ih, weight_hh, bias_ih, bias_hh

    def _edge_settings(self) -> tuple[Any, ...]:
        return *self._sizes, *self._relations, self._carries_previous, self._split

    def _edges(self, dtype: torch.dtype, sequential: torch.Tensor, *relations: torch.Tensor) -> list[Edges]:
        """Sequential edges and the edges of each relation, all of weight 1."""
        if not relations:
            # A plain GRU takes every part of its state from the token before.
            relations = tuple(sequential if self._split else sequential[..., :0] for _ in self._relations)
        whole = self._carries_previous or not self._split
        to = self._hidden_size if whole else self._sizes[0]
        start = self._sizes[0] if self._split else 0
        slices = [(0, to, 0)]
        for size in self._sizes[1:]:
            slices.append((start, start + size, to))
            to += size
            start += size if self._split else 0
        widest = max(source.size(2) for source in (sequential, *relations))
        ones = sequential.new_ones((), dtype=dtype).expand(*sequential.shape[:2], widest)
        return [Edges(x, ones[..., : x.size(2)], *part) for x, part in zip((sequential, *relations), slices)]
