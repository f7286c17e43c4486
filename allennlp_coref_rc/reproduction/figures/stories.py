from collections.abc import Sequence
from typing import Any, NamedTuple, Optional

import torch
from allennlp.data import DatasetReader
from allennlp.predictors import Predictor

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.data.babi.babi_files import BabiQuestion
from allennlp_coref_rc.data.dataset_readers import AnnotatedBabiReader
from allennlp_coref_rc.data.fields import CLASS_LABELS
from allennlp_coref_rc.modules.answer_layers import AnswerLayer
from allennlp_coref_rc.pages.stories import Distributions
from allennlp_coref_rc.safe_archives.archives import load


class Story(NamedTuple):
    question: BabiQuestion
    task: Optional[int]


def find_stories(reader: AnnotatedBabiReader, name: str, numbers: Sequence[int]) -> dict[int, Story]:
    """Questions of a bAbI file by their numbers, from 1."""
    items = reader.read_items(reader.find(name), name)
    stories: dict[int, Story] = {}
    for number, (_, item) in enumerate(items, start=1):
        if isinstance(item, ConfigurationError):
            raise item
        _, task, question = item
        stories[number] = Story(question, task)
    for number in numbers:
        if number not in stories:
            raise ConfigurationError(
                f"{name}: found {len(stories)} questions, expected --questions of 1 to {len(stories)}, not {number}"
            )
    return {number: stories[number] for number in numbers}


def by_prefixes(predictor: Predictor, story: Story) -> Distributions:
    """
    The candidates' probabilities when the reader has read only the first sentence, the first two, and so on.
    """
    reader, (question, task) = babi_reader(predictor._dataset_reader), story
    ends = range(1, len(question.statements) + 1)
    instances = [
        reader.text_to_instance(question.statements[:end], question.question, task=task) for end in ends
    ]
    return [output["candidate_probabilities"] for output in predictor.predict_batch_instance(instances)]


def by_boundaries(predictor: Predictor, story: Story) -> Distributions:
    """The probabilities of the classes from each sentence's last token. The reader reads the story once."""
    model, reader = predictor._model, babi_reader(predictor._dataset_reader)
    names = model.vocab.get_index_to_token_vocabulary(CLASS_LABELS)
    if not names:
        raise ConfigurationError(
            "the way boundaries: found a reader that points at words, expected one of classes"
        )
    (layer,) = (module for module in model.modules() if isinstance(module, AnswerLayer))
    seen: list[tuple[Any, ...]] = []
    hook = layer.register_forward_pre_hook(lambda _, arguments: seen.append(arguments))
    question, task = story
    predictor.predict_instance(reader.text_to_instance(question.statements, question.question, task=task))
    hook.remove()
    ends = [stop for _, stop in reader.split(question.statements).sentences]
    passage, query, embedded, _ = seen[0]
    once_for_each = [0] * len(ends)
    passage = passage.select(once_for_each)
    # If all attention is on a sentence's last token, the result is the encoding of that token.
    at_end = torch.zeros_like(passage.mask)
    at_end[range(len(ends)), [end - 1 for end in ends]] = True
    with torch.no_grad():
        output = layer(passage._replace(mask=at_end), query[once_for_each], embedded.select(once_for_each))
    probabilities = output.log_probabilities.exp()
    return [{names[i]: value for i, value in enumerate(row)} for row in probabilities.tolist()]


WAYS = {"prefixes": by_prefixes, "boundaries": by_boundaries}


def load_reader(path: str, trust: bool = False) -> Predictor:
    predictor = Predictor.from_archive(load(path, trust=trust), "cloze_reader")
    try:
        babi_reader(predictor._dataset_reader)
    except ConfigurationError as error:
        raise ConfigurationError(f"{path}: {error}") from error
    return predictor


def babi_reader(reader: DatasetReader) -> AnnotatedBabiReader:
    """The dataset reader, if it is one of bAbI. Any other raises a `ConfigurationError`."""
    if not isinstance(reader, AnnotatedBabiReader):
        raise ConfigurationError(
            f"found a reader of {type(reader).__name__}, expected one of AnnotatedBabiReader"
        )
    return reader
