from collections.abc import Sequence
from typing import Any, Optional, cast

import torch
from allennlp.common import Lazy
from allennlp.common.checks import ConfigurationError, check_dimensions_match
from allennlp.data import TextFieldTensors, Vocabulary
from allennlp.models import Model
from allennlp.modules import Seq2SeqEncoder, TextFieldEmbedder
from allennlp.nn import InitializerApplicator
from allennlp.nn.util import batched_index_select, get_final_encoder_states, get_text_field_mask

from allennlp_coref_rc.common.checks import check_choice, check_number
from allennlp_coref_rc.data.annotation_layers.edges import PADDING
from allennlp_coref_rc.data.fields import AnnotationTensors, CandidateTensors
from allennlp_coref_rc.models.cloze_model import ClozeModel
from allennlp_coref_rc.modules.answer_layers import AnswerLayer
from allennlp_coref_rc.modules.attention import Attention
from allennlp_coref_rc.modules.entity_substitution import EntitySubstitution
from allennlp_coref_rc.modules.gating import GatedAttention, Gating
from allennlp_coref_rc.modules.gpu import one_pass
from allennlp_coref_rc.modules.pair import Pair, TokenVectors
from allennlp_coref_rc.modules.self_belief_aggregation import SelfBeliefAggregation
from allennlp_coref_rc.modules.seq2seq_encoders import encode_pair

NO_INDEX = -1
"""The index of unknown words if the vocabulary has none."""

QE_COMM_DIM = 2
QUESTION_POSITION_DIM = 16

READ_OUTS = ("final_states", "cloze")

SAVED = 0.25
"""The share of its tokens, padding included, that a split must save a batch."""

SMALLEST = 8
"""The fewest texts of a bucket."""


@Model.register("ga_reader")
class GAReader(ClozeModel):
    """
    The Gated-Attention Reader (Dhingra et al., ACL 2017) with any encoder in its layers. Each layer encodes
    passage and question; between two layers the question gates each token of the passage; the answer layer
    reads the encodings of the last layer. With one layer this is the attention-sum reader, the "Bi-GRU" and
    "Bi-C-GRU" of Coref-GRU's Table 1. With the gating "collaborative" and `question_self_belief` it is
    CG+SBA.

    Registered as a `Model` with name "ga_reader".

    # Parameters

    vocab : `Vocabulary`
    text_field_embedder : `TextFieldEmbedder`
        Embeds passages and questions.
    passage_encoders : `list[Seq2SeqEncoder]`
        One for each layer.
    question_encoders : `list[Seq2SeqEncoder]`, optional (default = `passage_encoders`)
        One for each layer, with the same output dimension as the passage's. By default one encoder reads both
        texts.
    stack_question : `bool`, optional (default = `True`)
        Each question encoder reads the output of the one before it (Coref-GRU's code). If false, all of them
        read the embeddings (the GA Reader's paper and code).
    gating : `Gating`, optional (default = `GatedAttention()`)
    read_out : `str`, optional (default = `"final_states"`)
        The vector of the question that the passage is scored against: `"final_states"`, the final states of
        the encoder's directions, or `"cloze"`, the encoding of the question's "@placeholder".
    question_self_belief, passage_self_belief : `SelfBeliefAggregation`, optional (default = `None`)
        Applied to the encodings of the question or the passage in the last layer.
    dropout : `float`, optional (default = `0.0`)
        Applied only to the gated passage between layers, as in the authors' code.
    qe_comm : `bool`, optional (default = `False`)
        Tell the last layer's passage encoder which tokens of the passage occur in the question, by an
        embedding of size 2 beside its input. A word that is not in the vocabulary counts as not occurring.
        (The authors' code has no such words, because it makes the vocabulary from all splits.)
    question_positions : `int`, optional (default = `0`)
        In place of `qe_comm`, tell this encoder at which position of the question the token first occurs, by
        an embedding of size 16. Positions are counted from 1, and later ones than `question_positions` count
        as `question_positions`. So in "from the kitchen to the garden" the encoder knows which place is the
        start. 0 for no positions. Not in the papers.
    cluster_one_hot : `int`, optional (default = `0`)
        Put that many indicators of a token's coreference clusters beside its embedding, in passage and
        question (the "GRU + 1-hot" of Table 1). Reads the annotation layer "coref_clusters" and ignores
        further clusters.
    entity_substitution : `Lazy[EntitySubstitution]`, optional (default = `None`)
        Exchange names while training.
    pointer : `Lazy[AnswerLayer]`, optional (default = `attention_sum`)
        The answer layer for answers that are words of the passage.
    classifier : `Lazy[AnswerLayer]`, optional (default = `gated_selection`)
        The answer layer for answers that are classes. It is used if the vocabulary has classes, which the
        dataset reader decides.
    initializer : `InitializerApplicator`, optional (default = `InitializerApplicator()`)
    """

    def __init__(
        self,
        vocab: Vocabulary,
        text_field_embedder: TextFieldEmbedder,
        passage_encoders: list[Seq2SeqEncoder],
        question_encoders: Optional[list[Seq2SeqEncoder]] = None,
        stack_question: bool = True,
        gating: Optional[Gating] = None,
        read_out: str = "final_states",
        question_self_belief: Optional[SelfBeliefAggregation] = None,
        passage_self_belief: Optional[SelfBeliefAggregation] = None,
        dropout: float = 0.0,
        qe_comm: bool = False,
        question_positions: int = 0,
        cluster_one_hot: int = 0,
        entity_substitution: Optional[Lazy[EntitySubstitution]] = None,
        pointer: Lazy[AnswerLayer] = Lazy(AnswerLayer.by_name("attention_sum")),
        classifier: Lazy[AnswerLayer] = Lazy(AnswerLayer.by_name("gated_selection")),
        initializer: InitializerApplicator = InitializerApplicator(),
        **kwargs: Any,
    ) -> None:
        super().__init__(vocab, **kwargs)
        if question_encoders is None:
            question_encoders = passage_encoders
        check_choice("ga_reader", "read_out", read_out, READ_OUTS)
        if qe_comm and question_positions:
            raise ConfigurationError("ga_reader: found qe_comm and question_positions, expected one of them")
        check_number("ga_reader", "question_positions", question_positions, least=0)
        self.explain = False
        """
        Whether outputs hold the weights of every attention. Only predictions set it, since these are large.
        """
        self._text_field_embedder = text_field_embedder
        self._passage_encoders = torch.nn.ModuleList(passage_encoders)
        self._question_encoders = torch.nn.ModuleList(question_encoders)
        self._stack_question = stack_question
        self._gating = gating or GatedAttention()
        self._read_out = read_out
        self._question_self_belief = question_self_belief
        self._passage_self_belief = passage_self_belief
        self._dropout = torch.nn.Dropout(dropout)
        self._qe_comm: Optional[torch.nn.Embedding] = None
        if qe_comm or question_positions:
            dim = QUESTION_POSITION_DIM if question_positions else QE_COMM_DIM
            self._qe_comm = torch.nn.Embedding((question_positions or 1) + 1, dim)
        self._cluster_one_hot = cluster_one_hot
        self._check_encoders()
        self._entity_substitution = (
            entity_substitution.construct(vocab=vocab) if entity_substitution else None
        )
        dims = passage_encoders[-1].get_output_dim(), text_field_embedder.get_output_dim()
        self.build_answer_layer(pointer, classifier, *dims)
        initializer(self)

    def _check_encoders(self) -> None:
        """Raises a `ConfigurationError` unless each encoder can read what comes before it."""
        if not self._passage_encoders or len(self._passage_encoders) != len(self._question_encoders):
            raise ConfigurationError(
                f"ga_reader has {len(self._passage_encoders)} passage_encoders and {len(self._question_encoders)} "
                "question_encoders, expected the same number of both, one or more"
            )
        embedding_dim = self._text_field_embedder.get_output_dim() + self._cluster_one_hot
        passage_dim = question_dim = embedding_dim
        last = len(self._passage_encoders) - 1
        for i, (passage, question) in enumerate(self._encoders()):
            if i == last and self._qe_comm is not None:
                passage_dim += self._qe_comm.embedding_dim
            for key, encoder, dim in (
                ("passage", passage, passage_dim),
                ("question", question, question_dim),
            ):
                name = f"input of {key}_encoders[{i}]"
                check_dimensions_match(encoder.get_input_dim(), dim, name, f"what it reads in layer {i}")
            outputs = f"output of passage_encoders[{i}]", f"output of question_encoders[{i}]"
            check_dimensions_match(passage.get_output_dim(), question.get_output_dim(), *outputs)
            passage_dim = self._gating.get_output_dim(passage.get_output_dim())
            if self._stack_question:
                question_dim = passage.get_output_dim()
        for side, part in (("question", self._question_self_belief), ("passage", self._passage_self_belief)):
            if part is not None:
                name = f"input of {side}_self_belief.encoder"
                check_dimensions_match(part.encoder.get_input_dim(), embedding_dim, name, "what it reads")

    def _encoders(self) -> list[tuple[Seq2SeqEncoder, Seq2SeqEncoder]]:
        """The encoders of passage and question, layer by layer."""
        pairs = zip(self._passage_encoders, self._question_encoders)
        return cast(list[tuple[Seq2SeqEncoder, Seq2SeqEncoder]], list(pairs))

    @one_pass
    def forward(
        self,
        passage: TextFieldTensors,
        question: TextFieldTensors,
        candidates: Optional[CandidateTensors] = None,
        cloze: Optional[torch.Tensor] = None,
        answer: Optional[torch.Tensor] = None,
        passage_annotations: Optional[AnnotationTensors] = None,
        question_annotations: Optional[AnnotationTensors] = None,
        metadata: Optional[list[dict[str, Any]]] = None,
    ) -> dict[str, torch.Tensor]:
        """
        # Parameters

        passage, question : `TextFieldTensors`
        cloze : `torch.LongTensor`, optional (default = `None`)
            Shape: (batch_size, 1). Where "@placeholder" stands in the question.
        passage_annotations, question_annotations : `AnnotationTensors`, optional (default = `None`)
        candidates, answer, metadata
            As in `ClozeModel.answer`. Candidates are not needed where answers are classes.

        # Returns

        `dict[str, torch.Tensor]`
            As `ClozeModel.answer` says; with `explain` the `explanations`, each an `Attention`.
        """
        if self._entity_substitution is not None and self.training:
            (passage, question), answer = self._entity_substitution([passage, question], answer)
        embedded = Pair(
            self._embed(passage, passage_annotations), self._embed(question, question_annotations)
        )
        inputs = embedded.with_vectors(*map(self._add_cluster_indicators, embedded))
        occurrences = self._occurrences(passage, question)

        explanations: Optional[list[Attention]] = [] if self.explain else None
        if self.training or self.explain:
            encoded = self._encode(inputs, occurrences, explanations)
        else:
            encoded = self._encode_in_buckets(inputs, occurrences)
        query = self._read(encoded.question.vectors, inputs.question, cloze, explanations)
        return self.answer(encoded.passage, query, embedded, candidates, answer, metadata, explanations)

    def _embed(self, text: TextFieldTensors, annotations: Optional[AnnotationTensors]) -> TokenVectors:
        return TokenVectors(self._text_field_embedder(text), get_text_field_mask(text), annotations)

    def _encode(
        self,
        inputs: Pair,
        occurrences: Optional[torch.Tensor],
        explanations: Optional[list[Attention]] = None,
    ) -> Pair:
        """Encodes passage and question with all layers. `explanations` gets the attentions used."""
        passage, question = inputs.passage.vectors, inputs.question.vectors
        last = len(self._passage_encoders) - 1
        for i, encoders in enumerate(self._encoders()):
            if i == last and occurrences is not None:
                passage = torch.cat([passage, occurrences], dim=-1)
            if not self._stack_question:
                question = inputs.question.vectors
            encoded = encode_pair(*encoders, inputs.with_vectors(passage, question))
            passage, question = encoded.passage.vectors, encoded.question.vectors
            if i < last:
                gated_passage, attentions = self._gating(encoded)
                passage = self._dropout(gated_passage)
            else:
                question, attentions = self._gating.final_question(encoded)
            if explanations is not None:
                explanations += [attention._replace(layer=i + 1) for attention in attentions]
        if self._passage_self_belief is not None:
            passage, weights = self._passage_self_belief(passage, inputs.passage)
            if explanations is not None:
                explanations.append(Attention("self_belief", "passage", "passage", weights))
        return inputs.with_vectors(passage, question)

    def _encode_in_buckets(self, inputs: Pair, occurrences: Optional[torch.Tensor]) -> Pair:
        """
        The same as `_encode`. On a CPU, passages of similar length are encoded together, because padding
        takes time there too. A GPU reads all passages at once, in the time of the longest one.
        """
        passage = inputs.passage
        buckets = length_buckets(passage.lengths().tolist()) if passage.mask.device.type == "cpu" else []
        if len(buckets) < 2:
            return self._encode(inputs, occurrences)
        encoded = []
        for bucket in buckets:
            selected = inputs.select(bucket)
            seen = None if occurrences is None else occurrences[bucket, : selected.passage.mask.size(1)]
            encoded.append(self._encode(selected, seen))
        passages, questions = zip(*encoded)
        return inputs.with_vectors(
            _joined(buckets, passages, passage.mask), _joined(buckets, questions, inputs.question.mask)
        )

    def _read(
        self,
        encoded_question: torch.Tensor,
        question: TokenVectors,
        cloze: Optional[torch.Tensor],
        explanations: Optional[list[Attention]],
    ) -> torch.Tensor:
        """The vector that the passage is scored against. Shape: (batch_size, dim)."""
        positions = cloze if self._read_out == "cloze" else None
        if self._read_out == "cloze" and cloze is None:
            raise ConfigurationError(
                'ga_reader.read_out is "cloze": found a question without @placeholder, expected one where the answer '
                "belongs"
            )
        if self._question_self_belief is not None:
            encoded_question, weights = self._question_self_belief(encoded_question, question, positions)
            if explanations is not None:
                explanations.append(Attention("self_belief", "question", "question", weights))
        elif positions is not None:
            encoded_question = batched_index_select(encoded_question, cast(torch.LongTensor, positions))
        if positions is not None:
            return encoded_question.squeeze(1)
        _, encoder = self._encoders()[-1]
        mask = cast(torch.BoolTensor, question.mask)
        return get_final_encoder_states(encoded_question, mask, encoder.is_bidirectional())

    def _add_cluster_indicators(self, text: TokenVectors) -> torch.Tensor:
        embedded = text.vectors
        if not self._cluster_one_hot:
            return embedded
        layer = (text.annotations or {}).get("coref_clusters", {})
        if "clusters" not in layer:
            raise ConfigurationError(
                "ga_reader.cluster_one_hot reads the annotation layer 'coref_clusters'; give "
                "dataset_reader.annotation_layers one of this name and type"
            )
        clusters = layer["clusters"]
        kept = (clusters != PADDING) & (clusters < self._cluster_one_hot)
        one_hot = embedded.new_zeros(*embedded.shape[:2], self._cluster_one_hot)
        one_hot = one_hot.scatter_add(
            2, clusters.clamp(0, self._cluster_one_hot - 1), kept.to(embedded.dtype)
        )
        return torch.cat([embedded, one_hot], dim=-1)

    def _occurrences(self, passage: TextFieldTensors, question: TextFieldTensors) -> Optional[torch.Tensor]:
        """What `qe_comm` or `question_positions` puts beside the passage: (batch_size, length, dim)."""
        if self._qe_comm is None:
            return None
        unknown = self.vocab.get_token_to_index_vocabulary().get(self.vocab._oov_token, NO_INDEX)
        positions = _positions_in(passage, question, get_text_field_mask(question), unknown)
        return self._qe_comm(positions.clamp(max=self._qe_comm.num_embeddings - 1))


def _joined(buckets: list[list[int]], encoded: Sequence[TokenVectors], mask: torch.Tensor) -> torch.Tensor:
    """The encodings of a batch's buckets, put back in the order of the batch and padded to its length."""
    first = encoded[0].vectors
    joint = first.new_zeros(*mask.shape, first.size(-1))
    for bucket, text in zip(buckets, encoded):
        joint[bucket, : text.vectors.size(1)] = text.vectors
    return joint


def _positions_in(
    passage: TextFieldTensors, question: TextFieldTensors, question_mask: torch.Tensor, unknown: int
) -> torch.Tensor:
    """
    The position in the question, counted from 1, at which each token of the passage first occurs, or 0 if it
    does not. An unknown word may be any word, so it counts as not occurring. Shape: (batch_size,
    passage_length).
    """
    passage_ids, question_ids = _word_ids(passage), _word_ids(question)
    same = (passage_ids.unsqueeze(2) == question_ids.unsqueeze(1)) & question_mask.unsqueeze(1)
    occurs = same.any(dim=2) & (passage_ids != unknown)
    # The first of equal numbers, on every device.
    from_the_end = torch.arange(question_ids.size(1), 0, -1, device=same.device)
    first = (same * from_the_end).argmax(dim=2) + 1
    return torch.where(occurs, first, 0)


def _word_ids(text: TextFieldTensors) -> torch.Tensor:
    """The ids of words, not of the pieces of words that a transformer reads. Shape: (batch_size, length)."""
    for tensors in text.values():
        if "tokens" in tensors:
            return tensors["tokens"]
    raise ConfigurationError(
        f"ga_reader compares words of passage and question: found the token_indexers {', '.join(text)}, expected one "
        "of type single_id or oov_buckets among them"
    )


def length_buckets(lengths: Sequence[int]) -> list[list[int]]:
    """
    Splits a batch into buckets that need less padding, as long as a split saves a quarter of the tokens.
    Gives the indices of the texts in each bucket. The buckets, and the texts in a bucket, are in order of
    length, the shortest first.
    """
    return _split(sorted(range(len(lengths)), key=lengths.__getitem__), lengths)


def _split(texts: list[int], lengths: Sequence[int]) -> list[list[int]]:
    number, longest = len(texts), lengths[texts[-1]] if texts else 0
    places = range(SMALLEST, number - SMALLEST + 1)
    saved = {place: place * (longest - lengths[texts[place - 1]]) for place in places}
    place = max(saved, key=saved.__getitem__, default=0)
    if not place or saved[place] < SAVED * number * longest:
        return [texts]
    return _split(texts[:place], lengths) + _split(texts[place:], lengths)
