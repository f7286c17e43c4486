from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any, Optional, Self, Union, cast

import torch
from allennlp.modules import Seq2SeqEncoder
from torch.nn import Parameter
from torch.nn.utils.parametrize import is_parametrized, type_before_parametrizations

from allennlp_coref_rc.common.checks import check_number
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.data.fields import AnnotationTensors
from allennlp_coref_rc.modules.gpu import in_parallel, once, spares_launches
from allennlp_coref_rc.modules.pair import Pair, TokenVectors
from allennlp_coref_rc.modules.recurrence import (
    Edges,
    RecurrenceInput,
    edge_sources,
    joint_products,
    recurrence,
)
from allennlp_coref_rc.modules.seq2seq_encoders.annotated_seq2seq_encoder import (
    AnnotatedSeq2SeqEncoder,
    uncompiled,
)

EncoderAndText = tuple["RecurrentEncoder", TokenVectors]
"""An encoder and the text that it encodes."""

Products = Sequence[Optional[torch.Tensor]]
"""The `products` of texts or directions, if they are known before the recurrence reads."""


def rnn_shapes(input_size: int, rows: int, recurrent_size: int) -> dict[str, tuple[int, ...]]:
    """
    The shapes of the parameters of a `torch.nn.GRU`, which has three times as many rows as hidden units, or
    of a `torch.nn.RNN`, which has as many. The recurrent weights may have more columns than the state has
    numbers, if edges bring more than one state.
    """
    return {
        "weight_ih_l0": (rows, input_size),
        "weight_hh_l0": (rows, recurrent_size),
        "bias_ih_l0": (rows,),
        "bias_hh_l0": (rows,),
    }


class RecurrentEncoder(AnnotatedSeq2SeqEncoder):
    """
    Base class of the encoders that use the `recurrence`. Its parameters have the names and shapes of
    `torch.nn.GRU`'s. It reads edges from annotations, encodes passage and question as a pair, and converts
    from and to PyTorch's modules. A subclass says in `_edges` what each token reads.

    # Parameters

    input_size : `int`
    hidden_size : `int`
        The size of one direction.
    shapes : `dict[str, tuple[int, ...]]`
        The shapes of the parameters of one direction, by name: `rnn_shapes`, and more if the subclass has
        more parameters.
    relations : `Sequence[str]`
        The annotation layers whose edges are read.
    bidirectional : `bool`, optional (default = `True`)
    share_memory : `bool`, optional (default = `True`)
        See `encode_pair`.
    backend : `str`, optional (default = `"auto"`)
        The backend of the `recurrence`.
    """

    torch_class: Union[type[torch.nn.GRU], type[torch.nn.RNN]] = torch.nn.GRU
    """The `torch.nn` module that this encoder equals without annotations."""

    hands_on_sequential_state = True
    """Whether the second sequence of a pair begins with the state in which the first one ended."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        shapes: dict[str, tuple[int, ...]],
        relations: Sequence[str],
        bidirectional: bool = True,
        share_memory: bool = True,
        backend: str = "auto",
    ) -> None:
        super().__init__()
        check_number(type(self).__name__, "input_size", input_size)
        self._input_size = input_size
        self._hidden_size = hidden_size
        self._relations = list(relations)
        self._bidirectional = bidirectional
        self._share_memory = share_memory
        self._backend = backend
        for suffix in self._suffixes():
            for name, shape in shapes.items():
                self.register_parameter(name + suffix, Parameter(torch.empty(shape)))

    def _suffixes(self) -> list[str]:
        return ["", "_reverse"] if self._bidirectional else [""]

    @property
    def annotation_layers(self) -> Collection[str]:
        return self._relations

    def get_input_dim(self) -> int:
        return self._input_size

    def get_output_dim(self) -> int:
        return self._hidden_size * len(self._suffixes())

    def is_bidirectional(self) -> bool:
        return self._bidirectional

    def to_torch(self) -> torch.nn.RNNBase:
        """
        Makes the `torch.nn.GRU` (`torch.nn.RNN` for a tanh cell) that computes the same as this encoder
        without annotations. It has copies of the parameters and `batch_first=True`. Parameters that only
        annotations use are left out.
        """
        like = cast(torch.Tensor, self.weight_ih_l0)
        rnn = self.torch_class(
            self._input_size, self._hidden_size, batch_first=True, bidirectional=self._bidirectional
        ).to(like.device, like.dtype)
        with torch.no_grad():
            for name, parameter in rnn.named_parameters():
                own = getattr(self, name)
                parameter.copy_(own[:, : self._hidden_size] if name.startswith("weight_hh") else own)
        return rnn

    def load_torch(self, rnn: torch.nn.RNNBase) -> Self:
        """
        Copies the parameters of a module like the one that `to_torch` makes, and takes over their device and
        dtype. Parameters that only annotations use stay as they are. Returns this encoder.

        # Raises

        `ConfigurationError`
            If the module has another type or other settings, or this encoder has parametrizations.
        """
        if is_parametrized(self):
            raise ConfigurationError(f"{type(self).__name__}: found parametrizations, expected none")
        _check_same(f"{type(self).__name__}: the module to load", _settings(rnn), _settings(self.to_torch()))
        like = rnn.get_parameter("weight_ih_l0")
        self.to(like.device, like.dtype)
        own = dict(self.named_parameters())
        with torch.no_grad():
            for name, parameter in rnn.named_parameters():
                target = own[name][:, : self._hidden_size] if name.startswith("weight_hh") else own[name]
                target.copy_(parameter)
        return self

    @uncompiled
    def forward(
        self, inputs: torch.Tensor, mask: torch.Tensor, annotations: Optional[AnnotationTensors] = None
    ) -> torch.Tensor:
        """
        As in `AnnotatedSeq2SeqEncoder`, with outputs that are zero where masked. Annotations have a layer of
        edges for each relation; edges into another sequence count as first mentions.
        """
        self.check_input(inputs, mask, annotations)
        text = TokenVectors(inputs, mask, annotations)

        def read(reverse: bool, products: Products) -> tuple[torch.Tensor, ...]:
            return (self._read(text, reverse, products=products[0]),)

        (states,) = self._read_in_each_direction([(self, text)], read)
        return states

    def encode_pair(self, question_encoder: Seq2SeqEncoder, pair: Pair) -> Pair:
        """
        Encodes a passage with this encoder and its question with another. If both encoders are of the same
        kind and share their memory, and there are annotations, the second text starts from the states of the
        first, and edges lead from one text to the other. In forward reading the question is the second text,
        in backward reading the passage.
        """
        annotated = all(text.annotations is not None for text in pair)
        if not annotated or not self.shares_memory(question_encoder):
            return super().encode_pair(question_encoder, pair)
        pairs = (self, pair.passage), (cast(RecurrentEncoder, question_encoder), pair.question)
        for encoder, text in pairs:
            encoder.check_input(text.vectors, text.mask, text.annotations)
            if encoder._forward_pre_hooks:
                raise ConfigurationError(
                    f"{type(encoder).__name__}: found hooks before forward, as of torch.nn.utils.prune, expected none "
                    "in an encoder that shares its memory"
                )
        return pair.with_vectors(*self._encode_pair(*pairs))

    def shares_memory(self, question_encoder: Seq2SeqEncoder) -> bool:
        # A parametrization, such as weight_norm, gives each module a class of its own.
        own = cast(type[RecurrentEncoder], type_before_parametrizations(self))
        if not isinstance(question_encoder, own) or not (
            self._share_memory and question_encoder._share_memory
        ):
            return False
        _check_same(
            f"{type(self).__name__} of the question, which shares the memory of the passage's",
            question_encoder._pair_settings(),
            self._pair_settings(),
        )
        return True

    def _pair_settings(self) -> dict[str, Any]:
        """The settings that two encoders which read each other's states must share."""
        return {"hidden_size": self._hidden_size, "bidirectional": self._bidirectional}

    def _encode_pair(self, *pairs: EncoderAndText) -> tuple[torch.Tensor, torch.Tensor]:
        """Encodes two sequences, each with its encoder, the first one first when reading forward."""

        def read(reverse: bool, products: Products) -> tuple[torch.Tensor, ...]:
            first, second = (1, 0) if reverse else (0, 1)
            encoder, text = pairs[first]
            states = encoder._read(text, reverse, products=products[first])
            next_encoder, next_text = pairs[second]
            memory = next_encoder._handed_over(text, states, reverse)
            next_states = next_encoder._read(next_text, reverse, *memory, products=products[second])
            return (next_states, states) if reverse else (states, next_states)

        first, second = self._read_in_each_direction(pairs, read)
        return first, second

    def _read_in_each_direction(
        self, pairs: Sequence[EncoderAndText], read: Callable[[bool, Products], tuple[torch.Tensor, ...]]
    ) -> list[torch.Tensor]:
        """The states of texts, given what reads them all, in reverse or not, with their products."""
        by_text = [encoder._products(text) for encoder, text in pairs]
        directions = [partial(read, *given) for given in zip((False, True), zip(*by_text))]
        vectors = [x for x in (*(text.vectors for _, text in pairs), *sum(by_text, [])) if x is not None]
        by_direction = in_parallel(vectors, directions)
        return [torch.cat(x, dim=-1) if len(x) > 1 else x[0] for x in zip(*by_direction)]

    def _products(self, text: TokenVectors) -> list[Optional[torch.Tensor]]:
        """
        The products of a text with the weights of each direction. On a GPU one launch makes all; elsewhere
        the recurrence makes them.
        """
        vectors, suffixes = text.vectors, self._suffixes()
        fits = torch.is_autocast_enabled(vectors.device.type) or vectors.dtype == self.weight_ih_l0.dtype
        if not (spares_launches(vectors) and fits):
            return [None] * len(suffixes)
        factors = [(self._gru_parameters(suffix)[0], self._keys_for(text, suffix)) for suffix in suffixes]
        return list(joint_products(vectors, factors))

    def _handed_over(
        self, text: TokenVectors, states: torch.Tensor, reverse: bool
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """
        The states of the first sequence of a pair that the second one gets: `memory` and `memory_mask` of
        `_read`.
        """
        return states, text.mask

    def _read(
        self,
        text: TokenVectors,
        reverse: bool = False,
        memory: Optional[torch.Tensor] = None,
        memory_mask: Optional[torch.Tensor] = None,
        products: Optional[torch.Tensor] = None,
    ) -> torch.Tensor:
        """
        Reads in one direction. With `memory`, the states of another sequence, it continues that sequence.
        `products` are those of `RecurrenceInput`.

        Shapes: memory (batch_size, memory_length, hidden_size), memory_mask (batch_size, memory_length), the
        result (batch_size, sequence_length, hidden_size).
        """
        inputs, mask, annotations = text
        suffix = self._suffixes()[reverse]
        weight_ih, weight_hh, bias_ih, bias_hh = self._gru_parameters(suffix)
        if annotations is None:
            self.warn_unannotated()

        def edges_of_text() -> list[Edges]:
            relations: list[torch.Tensor] = []
            if annotations is not None:
                name = "descendants" if reverse else "antecedents"
                relations = [self.annotation(annotations, layer, name)[name] for layer in self._relations]
            sources = edge_sources(mask, relations, reverse, memory_mask, self.hands_on_sequential_state)
            return self._edges(inputs.dtype, *sources)

        continues = reverse, memory is not None, self.hands_on_sequential_state
        setting = type(self), *continues, inputs.dtype, *self._edge_settings()
        edges = once(mask, [annotations, memory_mask], setting, edges_of_text)
        keys = self._keys_for(text, suffix)
        given = RecurrenceInput(
            inputs, edges, weight_hh, bias_hh, mask, memory, reverse, weight_ih, bias_ih, keys, products
        )
        return recurrence(given, backend=self._backend)

    def _gru_parameters(self, suffix: str) -> tuple[torch.Tensor, ...]:
        """The weights and biases of one direction, in the shapes of a GRU's."""
        names = "weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0"
        return tuple(getattr(self, name + suffix) for name in names)

    def _keys_for(self, text: TokenVectors, suffix: str) -> Optional[torch.Tensor]:
        """The keys of one direction for `RecurrenceInput`, if the text has edges weighted by attention."""
        return None if text.annotations is None else getattr(self, "keys" + suffix, None)

    def _edge_settings(self) -> tuple[Any, ...]:
        """The settings on which `_edges` depends. Layers with the same settings share their edges."""
        raise NotImplementedError

    def _edges(self, dtype: torch.dtype, sequential: torch.Tensor, *relations: torch.Tensor) -> list[Edges]:
        """
        The edges that tell what each token reads.

        # Parameters

        dtype : `torch.dtype`
            That of the edges' weights.
        sequential : `torch.LongTensor`
            Shape: (batch_size, sequence_length, 1). The token before.
        *relations : `torch.LongTensor`
            Shape of each: (batch_size, sequence_length, edges). The sources of the edges of each relation, as
            the `recurrence` counts them, or `FIRST_MENTION`, or `PADDING`. None without annotations.
        """
        raise NotImplementedError


def _settings(rnn: torch.nn.Module) -> dict[str, Any]:
    names = "input_size", "hidden_size", "bidirectional", "num_layers", "bias", "mode"
    return {"type": type(rnn).__name__, **{name: getattr(rnn, name, None) for name in names}}


def _check_same(what: str, settings: dict[str, Any], expected: dict[str, Any]) -> None:
    for name, value in expected.items():
        if settings[name] != value:
            raise ConfigurationError(f"{what} has {name} {settings[name]!r}, expected {value!r}")
