from itertools import chain
from typing import Any, Optional, cast

import torch
from allennlp.data.fields.text_field import TextFieldTensors
from allennlp.data.tokenizers import PretrainedTransformerTokenizer
from allennlp.nn.util import batched_span_select
from torch.nn.functional import embedding
from torch.nn.utils.rnn import pad_sequence

from allennlp_coref_rc.common.checks import check_choice
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.modules.gpu import copied_to
from allennlp_coref_rc.modules.token_embedders.transformer_words import TransformerWords, check_length
from allennlp_coref_rc.modules.windows import Window, windows


class TransformerPair(TransformerWords):
    """
    Word vectors of a question and its passage. A pretrained transformer reads both together, as one sequence:
    `[CLS] question [SEP] passage [SEP]`, with the special tokens that its tokenizer puts around and between
    two texts. The vector of a word is the mean of the vectors of its pieces.

    A pair of more than `max_length` pieces is cut into windows. Each window has the whole question and a part
    of the passage, and consecutive parts overlap. If a piece is in two windows, its vector comes from the
    window where it is farther from the edge of the part. Vectors of the question are means over the windows.

    The inputs are two text fields, indexed by `pretrained_transformer_mismatched` without a `max_length`.

    # Parameters

    model_name : `str`
        A folder, or a name on the Hugging Face hub.
    max_length : `int`, optional (default = `512`)
        How many pieces the transformer can read at once, including special tokens.
    overlap : `int`, optional (default = `128`)
        How many pieces of the passage consecutive windows share at least.

    The other parameters are the same as in `transformer_words`: `trained_layers`, `gradient_checkpointing`,
    `tokenizer_kwargs`, `sub_token_mode` ("avg", or "first" for the vector of the first piece), …
    """

    def __init__(self, model_name: str, max_length: int = 512, overlap: int = 128, **kwargs: Any) -> None:
        super().__init__(model_name, **kwargs)
        check_choice("transformer", "sub_token_mode", self.sub_token_mode, ("avg", "first"))
        check_length(self._matched_embedder.transformer_model, model_name, max_length, "transformer")
        tokenizer = PretrainedTransformerTokenizer(
            model_name, tokenizer_kwargs=kwargs.get("tokenizer_kwargs")
        )
        # The tokens before, between and after the texts.
        special = (
            tokenizer.sequence_pair_start_tokens,
            tokenizer.sequence_pair_mid_tokens,
            tokenizer.sequence_pair_end_tokens,
        )
        types = tokenizer.sequence_pair_first_token_type_id, tokenizer.sequence_pair_second_token_type_id
        self._types = [type or 0 for type in types]
        self._has_types = getattr(self._matched_embedder.config, "type_vocab_size", 0) > max(self._types)
        self._around_text = (
            len(tokenizer.single_sequence_start_tokens),
            len(tokenizer.single_sequence_end_tokens),
        )
        ids = [tokenizer.tokenizer.pad_token_id or 0, *(token.text_id for token in chain(*special))]
        self.register_buffer("special", torch.tensor(ids), persistent=False)
        numbers = [len(tokens) for tokens in special]
        types_of_special = torch.tensor([token.type_id for token in chain(*special)], dtype=torch.long)
        self._places_of_special = torch.arange(1, len(ids)).split(numbers)
        self._types_of_special = types_of_special.split(numbers)
        self._max_length = max_length
        self._overlap = overlap

    def forward(  # type: ignore[override]
        self, question: TextFieldTensors, passage: TextFieldTensors
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """
        The word vectors of question and passage, of shape (batch_size, question_length or passage_length,
        dim), and the vectors of the token that the transformer puts first, such as "[CLS]", of shape
        (batch_size, dim).
        """
        texts = [_pieces(text) for text in (question, passage)]
        start, end = self._around_text
        # What follows is arranged on the CPU, as places in tensors of the device. So nothing waits for it but
        # this.
        lengths = torch.stack([text["wordpiece_mask"].sum(1) for text in texts]).tolist()
        ids = [self.get_buffer("special"), *(text["token_ids"].flatten() for text in texts)]
        first_places = len(ids[0]), len(ids[0]) + len(ids[1])
        # Lists of the places of the texts' pieces, without special tokens.
        questions, passages = (
            [
                torch.arange(start, length - end) + first_place + i * text["token_ids"].size(1)
                for i, length in enumerate(of_texts)
            ]
            for text, of_texts, first_place in zip(texts, lengths, first_places)
        )
        plans = [self._plan(len(q), len(p)) for q, p in zip(questions, passages)]
        encoded = self._encode(torch.cat(ids), questions, passages, plans)
        places = torch.arange(encoded.size(0) * encoded.size(1)).view(encoded.shape[:2])
        before, between, _ = map(len, self._places_of_special)
        most = max(map(len, plans), default=1), before + max(map(len, questions), default=0)
        places_of_questions = torch.zeros(len(questions), *most, dtype=torch.long)
        weights = torch.zeros(len(questions), most[0], 1, 1)
        places_of_passages = []
        for i, (q, plan) in enumerate(zip(questions, plans)):
            of_pair, places = places.split([len(plan), len(places) - len(plan)])
            end_of_question = before + len(q)
            places_of_questions[i, : len(plan), :end_of_question] = of_pair[:, :end_of_question]
            weights[i, : len(plan)] = 1 / len(plan)
            of_passage = zip(of_pair[:, end_of_question + between :], plan)
            kept = [row[one.first - one.start : one.last - one.start] for row, one in of_passage]
            places_of_passages.append(torch.cat(kept))
        rows, device = encoded.flatten(0, 1), encoded.device
        of_windows = embedding(copied_to(device, places_of_questions), rows)
        of_questions = (of_windows * copied_to(device, weights.to(rows.dtype))).sum(dim=1)
        of_passages = embedding(copied_to(device, pad_sequence(places_of_passages, batch_first=True)), rows)
        pieces_of_word = 1 if self.sub_token_mode == "first" else None
        question_words, passage_words = (
            mean_of_pieces(vectors, text["offsets"] - start, pieces_of_word)
            for vectors, text in zip((of_questions[:, before:], of_passages), texts)
        )
        return question_words, passage_words, of_questions[:, 0]

    def _plan(self, question: int, passage: int) -> list[Window]:
        """The windows of a passage beside its question, given how many pieces the texts have."""
        room = self._max_length - sum(map(len, self._places_of_special)) - question
        if room < passage and room <= self._overlap:
            raise ConfigurationError(
                f"transformer.max_length is {self._max_length}: a question of {question} pieces leaves room for {room} "
                f"of the passage in a window, expected more than transformer.overlap, which is {self._overlap}; "
                "dataset_reader.max_question_length makes questions shorter"
            )
        return windows(passage, room, self._overlap)

    def _encode(
        self,
        ids: torch.Tensor,
        questions: list[torch.Tensor],
        passages: list[torch.Tensor],
        plans: list[list[Window]],
    ) -> torch.Tensor:
        """
        All windows of all pairs, one after the other, given all ids and the places of the texts' pieces among
        them. Shape: (num_windows, length, dim).
        """
        rows, types = [], []
        for question, passage, plan in zip(questions, passages, plans):
            first, second = (
                torch.full_like(text, type) for text, type in zip((question, passage), self._types)
            )
            rows += _in_windows(plan, question, passage, *self._places_of_special)
            types += _in_windows(plan, first, second, *self._types_of_special)
        # The first of all ids is that of padding.
        places = copied_to(ids.device, pad_sequence(rows, batch_first=True))
        type_ids = copied_to(ids.device, pad_sequence(types, batch_first=True)) if self._has_types else None
        return self._matched_embedder(ids[places], places > 0, type_ids=type_ids)

    def in_windows(self, question: torch.Tensor, passage: torch.Tensor) -> torch.Tensor:
        """
        Arranges values of the pieces of one question and its passage in the windows that the transformer
        reads. The values have shape (num_pieces, dim), and include the special pieces around each text. In
        the windows, special pieces have 0. Shape: (num_windows, length, dim).
        """
        start, end = self._around_text
        question, passage = (text[start : len(text) - end] for text in (question, passage))
        special = [question.new_zeros(len(places), question.size(1)) for places in self._places_of_special]
        plan = self._plan(len(question), len(passage))
        return pad_sequence(_in_windows(plan, question, passage, *special), batch_first=True)


def mean_of_pieces(pieces: torch.Tensor, offsets: torch.Tensor, first: Optional[int] = None) -> torch.Tensor:
    """
    The mean vectors of the (`first`) pieces of words, 0 for words without pieces. Shape: (batch_size,
    num_words, dim).
    """
    vectors, mask = batched_span_select(pieces.contiguous(), cast(torch.LongTensor, offsets))
    vectors, mask = vectors[:, :, :first], mask[:, :, :first].unsqueeze(-1)
    return (vectors * mask).sum(2) / mask.sum(2).clamp(min=1)


def _pieces(text: TextFieldTensors) -> Any:
    """The tensors of the text's pieces."""
    for tensors in text.values():
        if "segment_concat_mask" in tensors:
            raise ConfigurationError(
                "dataset_reader.token_indexers: found pretrained_transformer_mismatched with a max_length, expected "
                "none: the model cuts long passages itself"
            )
        if "offsets" in tensors:
            return tensors
    raise ConfigurationError(
        f"dataset_reader.token_indexers: found {', '.join(text)}, expected one of type "
        "pretrained_transformer_mismatched among them"
    )


def _in_windows(
    plan: list[Window], question: torch.Tensor, passage: torch.Tensor, *special: torch.Tensor
) -> list[torch.Tensor]:
    """The windows of a pair, with what stands before, between and after its texts."""
    before, between, after = special
    return [torch.cat([before, question, between, passage[one.start : one.stop], after]) for one in plan]
