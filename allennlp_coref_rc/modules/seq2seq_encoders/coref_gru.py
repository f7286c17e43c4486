from typing import List, Optional, Sequence, Tuple

import torch
from allennlp.common.checks import ConfigurationError, check_dimensions_match
from allennlp.modules import Seq2SeqEncoder
from torch.nn import Parameter

from allennlp_coref_rc.annotations.edges import FIRST_MENTION, OTHER_SEQUENCE, PADDING
from allennlp_coref_rc.data.fields import AnnotationTensors
from allennlp_coref_rc.modules.initializers import gated_normal_
from allennlp_coref_rc.modules.masked_softmax import masked_softmax
from allennlp_coref_rc.modules.recurrence import NO_SOURCE, Edges, recurrence, sequential_sources
from allennlp_coref_rc.modules.seq2seq_encoders.annotated_seq2seq_encoder import AnnotatedSeq2SeqEncoder, EncoderInput


@Seq2SeqEncoder.register("coref_gru")
class CorefGru(AnnotatedSeq2SeqEncoder):
    """
    The Coref-GRU of `Neural Models for Reasoning over Multiple Mentions using Coreference
    <https://aclanthology.org/N18-2007>`_ (Dhingra et al., NAACL 2018), Appendix A: a GRU whose state is split into a
    part that is handed on from token to token and one that is handed on from mention to mention of the same entity.
    Each token weighs what it reads by a softmax over keys, one for each kind of edge.

    Gates, their order and the parameters are those of `torch.nn.GRU` (reset, update, candidate; the update gate keeps
    the old state, so it is one minus the paper's; a second bias, which the paper has not). A state dict of a
    `torch.nn.GRU` of one layer loads with `strict=False`, and without annotations this encoder is that GRU.

    With annotations the coreferent part comes from mentions alone: a token outside all clusters reads zeros there and
    carries them on (equation 3 of the appendix, and the code).

    Where this departs from the authors' code:

    * states are read back from the outputs, so memory grows with tokens, not with tokens times clusters;
    * in backward reading the passage starts from the question's memory, which the code means to do but, through an
    index
      error, does only if the question is of the greatest length;
    * outputs are zero where masked, as AllenNLP's encoders have it.

    Which tokens of a mention read and write is the choice of the `coref_edges` annotation layer.

    Registered as a `Seq2SeqEncoder` with name "coref_gru".

    # Parameters

    input_size : `int`
    hidden_size : `int`
        Of one direction: the paper's d. Has to be divisible by the number of relations plus one.
    bidirectional : `bool`, optional (default = `True`)
    relations : `List[str]`, optional (default = `["coref"]`)
        The annotation layers whose edges are read, each with its own part of the state and its own key. The paper has
        one.
    read_at_first_mention : `bool`, optional (default = `True`)
        A mention without an antecedent reads zeros, with a weight that the sequential part loses (the authors' bAbI
        code, and their WikiHop data). If false it reads the sequential part alone (the paper's text: alpha is 1).
    share_memory : `bool`, optional (default = `True`)
        If passage and question are encoded by a `coref_gru` each, the question, read forward, starts from the states of
        the passage, and the passage, read backward, from those of the question; mentions of one cluster are linked
        across both.
    backend : `str`, optional (default = `"auto"`)
        Of the `recurrence`.

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
        backend: str = "auto",
    ) -> None:
        super().__init__()
        parts = 1 + len(relations)
        if hidden_size % parts:
            raise ConfigurationError(
                f"coref_gru: hidden_size is {hidden_size}, expected a multiple of {parts}: one part for the sequence "
                f"and one for each of the relations {list(relations)}"
            )
        self._input_size = input_size
        self._hidden_size = hidden_size
        self._part_size = hidden_size // parts
        self._bidirectional = bidirectional
        self._relations = list(relations)
        self._read_at_first_mention = read_at_first_mention
        self._share_memory = share_memory
        self._backend = backend
        for suffix in self._suffixes():
            self.register_parameter("weight_ih_l0" + suffix, Parameter(torch.empty(3 * hidden_size, input_size)))
            self.register_parameter("weight_hh_l0" + suffix, Parameter(torch.empty(3 * hidden_size, hidden_size)))
            self.register_parameter("bias_ih_l0" + suffix, Parameter(torch.empty(3 * hidden_size)))
            self.register_parameter("bias_hh_l0" + suffix, Parameter(torch.empty(3 * hidden_size)))
            self.register_parameter("keys" + suffix, Parameter(torch.empty(parts, input_size)))
        self.reset_parameters()

    def _suffixes(self) -> List[str]:
        return ["", "_reverse"] if self._bidirectional else [""]

    def reset_parameters(self) -> None:
        """As the authors' code: weights by `gated_normal_`, biases zero, keys normal with deviation 0.1."""
        for name, parameter in self.named_parameters():
            if name.startswith("weight"):
                gated_normal_(parameter, gates=3)
            elif name.startswith("bias"):
                torch.nn.init.zeros_(parameter)
            else:
                torch.nn.init.normal_(parameter, std=0.1)

    def get_input_dim(self) -> int:
        return self._input_size

    def get_output_dim(self) -> int:
        return self._hidden_size * len(self._suffixes())

    def is_bidirectional(self) -> bool:
        return self._bidirectional

    def forward(  # type: ignore
        self, inputs: torch.FloatTensor, mask: torch.BoolTensor, annotations: Optional[AnnotationTensors] = None
    ) -> torch.FloatTensor:
        """
        # Parameters

        inputs : `torch.FloatTensor`
            Shape: (batch_size, sequence_length, input_size).
        mask : `torch.BoolTensor`
            Shape: (batch_size, sequence_length).
        annotations : `AnnotationTensors`, optional (default = `None`)
            With a layer of edges for each relation. Edges into another sequence count as first mentions.

        # Returns

        `torch.FloatTensor`
            Shape: (batch_size, sequence_length, directions * hidden_size). Zero where masked.
        """
        sequence = EncoderInput(inputs, mask, annotations)
        return torch.cat([self._read(sequence, suffix == "_reverse") for suffix in self._suffixes()], dim=-1)

    def encode_pair(
        self, question_encoder: Seq2SeqEncoder, passage: EncoderInput, question: EncoderInput
    ) -> Tuple[torch.FloatTensor, torch.FloatTensor]:
        shared = self._share_memory and isinstance(question_encoder, CorefGru) and question_encoder._share_memory
        if not shared or passage.annotations is None or question.annotations is None:
            return super().encode_pair(question_encoder, passage, question)
        check_dimensions_match(
            self._hidden_size, question_encoder._hidden_size, "coref_gru of the passage", "coref_gru of the question"
        )
        check_dimensions_match(
            len(self._suffixes()),
            len(question_encoder._suffixes()),
            "directions of the passage's coref_gru",
            "directions of the question's coref_gru",
        )
        passage_states = [self._read(passage)]
        question_states = [question_encoder._read(question, False, passage_states[0], passage.mask)]
        if self._bidirectional:
            question_states.append(question_encoder._read(question, True))
            passage_states.append(self._read(passage, True, question_states[1], question.mask))
        return torch.cat(passage_states, dim=-1), torch.cat(question_states, dim=-1)

    def _read(
        self,
        sequence: EncoderInput,
        reverse: bool = False,
        memory: Optional[torch.FloatTensor] = None,
        memory_mask: Optional[torch.BoolTensor] = None,
    ) -> torch.FloatTensor:
        """
        Reads in one direction, if given `memory` as the continuation of the sequence whose states it is.

        Shapes: memory (batch_size, memory_length, hidden_size), memory_mask (batch_size, memory_length), the result
        (batch_size, sequence_length, hidden_size).
        """
        inputs, mask, annotations = sequence
        suffix = "_reverse" if reverse else ""
        weight_ih, weight_hh, bias_ih, bias_hh, keys = (
            getattr(self, name + suffix)
            for name in ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0", "keys")
        )
        start = None if memory is None else _last_read(memory_mask, reverse) + mask.size(1)
        sequential = sequential_sources(mask, reverse, start)
        if annotations is None:
            edges = [Edges(sequential, torch.ones_like(sequential, dtype=inputs.dtype), 0, self._hidden_size)]
        else:
            edges = self._edges(sequence, sequential, keys, reverse, memory is not None)

        bias_hr_hz, bias_hn = bias_hh.split([2 * self._hidden_size, self._hidden_size])
        bias = bias_ih + torch.nn.functional.pad(bias_hr_hz, (0, self._hidden_size))
        # Projected time first, as the recurrence reads it.
        projected = torch.nn.functional.linear(inputs.transpose(0, 1), weight_ih, bias).transpose(0, 1)
        return recurrence(projected, edges, weight_hh, bias_hn, mask, memory, reverse, backend=self._backend)

    def _edges(
        self,
        sequence: EncoderInput,
        sequential: torch.LongTensor,
        keys: torch.FloatTensor,
        reverse: bool,
        has_memory: bool,
    ) -> List[Edges]:
        """Sequential edges and those of each relation, weighted by alpha, the softmax over all that enter a token."""
        inputs, mask, annotations = sequence
        sources = [sequential]
        exist = [torch.ones_like(sequential, dtype=torch.bool)]
        logits = [inputs @ keys[0].unsqueeze(-1)]
        for relation, key in zip(self._relations, keys[1:]):
            if relation not in annotations:
                raise ConfigurationError(
                    f"coref_gru reads the relation {relation!r}, but dataset_reader.annotation_layers has "
                    f"{sorted(annotations)}; add it there, or change the encoder's relations"
                )
            source = annotations[relation]["descendants" if reverse else "antecedents"]
            is_edge = source != PADDING
            other = source <= OTHER_SEQUENCE
            other_position = OTHER_SEQUENCE - source + mask.size(1) if has_memory else FIRST_MENTION
            source = torch.where(other, other_position, source)
            if not self._read_at_first_mention:
                is_edge = is_edge & (source != FIRST_MENTION)
            sources.append(torch.where(source < 0, NO_SOURCE, source))
            exist.append(is_edge)
            logits.append((inputs @ key.unsqueeze(-1)).expand(source.shape))
        alpha = masked_softmax(torch.cat(logits, dim=-1), torch.cat(exist, dim=-1))
        weights = alpha.split([source.size(-1) for source in sources], dim=-1)
        size = self._part_size
        return [Edges(*edges, i * size, (i + 1) * size) for i, edges in enumerate(zip(sources, weights))]


def _last_read(mask: torch.BoolTensor, reverse: bool) -> torch.LongTensor:
    """The position that was read last, of each sequence. Shape: (batch_size,)."""
    positions = torch.arange(mask.size(1), device=mask.device).expand_as(mask)
    if reverse:
        return torch.where(mask, positions, mask.size(1)).amin(dim=1).clamp(max=mask.size(1) - 1)
    return torch.where(mask, positions, 0).amax(dim=1)
