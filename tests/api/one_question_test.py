"""How much code one question goes through, and how often its text is made anew."""

import json
import sys
from operator import ne
from pathlib import Path

from allennlp.data import DatasetReader, Vocabulary
from allennlp.models import Model

import allennlp_coref_rc
from allennlp_coref_rc.annotations import AnnotatedText
from tests.training_config.configs import CONFIGS, FIXTURES, load_small

PACKAGE = Path(allennlp_coref_rc.__file__).parent

STORY = "Bill took the milk there. Bill went to the park. Fred moved to the office."

DASSA = CONFIGS / "narrativeqa" / "dassa_multi_srl_sdp_exp_nonexp_coref_12_heads.jsonnet"


def calls_of(ask):
    """The code of each function of the package that is called, and its `self`, once all is loaded."""
    calls = []

    def record(frame, event, _):
        if event == "call" and PACKAGE in Path(frame.f_code.co_filename).parents:
            calls.append((frame.f_code, frame.f_locals.get("self")))

    expected = ask()
    sys.setprofile(record)
    try:
        answer = ask()
    finally:
        sys.setprofile(None)
    assert answer == expected
    return calls


def files_and_changes_of_room(calls):
    files = [Path(code.co_filename).relative_to(PACKAGE) for code, _ in calls]
    rooms = [file.parts[0] for file in files]
    return len(set(files)), sum(map(ne, rooms, rooms[1:]))


def test_one_question_goes_through_few_files_and_makes_few_texts(reader):
    calls = calls_of(
        lambda: reader.answer(allennlp_coref_rc.annotate(STORY, "exact_match_coref"), "Where is the milk?")
    )
    files, changes = files_and_changes_of_room(calls)
    assert files <= 36
    assert changes <= 40
    texts = [text for code, text in calls if code is AnnotatedText.__post_init__.__code__]
    # Copies with other annotations have the same list of tokens.
    assert len({id(text.tokens) for text in texts}) <= 3 and len(texts) <= 7
    # That of the user, and what the two annotators have returned.
    assert sum(code is AnnotatedText.checked.__code__ for code, _ in calls) <= 3


def test_one_annotated_question_is_read_and_answered_by_dassa_with_few_changes_of_room(tmp_path):
    """A question of the file that DASSA's authors have annotated, with all kinds of views."""
    annotated = FIXTURES / "narrativeqa" / "summaries_annotated.jsonl.train"
    document = json.loads(annotated.read_text(encoding="utf-8").splitlines()[0])
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({**document, "questions": document["questions"][:1]}))
    config = load_small(DASSA)
    # As `authors_annotated_files` of narrativeqa_variants.libsonnet has it.
    config["dataset_reader"].pop("annotator")
    reader = DatasetReader.from_params(config["dataset_reader"])
    vocab = Vocabulary.from_instances(with_indexers(reader, path))
    model = Model.from_params(config["model"], vocab=vocab).eval()

    def ask():
        (output,) = model.forward_on_instances(with_indexers(reader, path))
        return list(output["best_span"])

    files, changes = files_and_changes_of_room(calls_of(ask))
    assert files <= 45
    assert changes <= 70


def with_indexers(reader, path):
    instances = list(reader.read(str(path)))
    for instance in instances:
        reader.apply_token_indexers(instance)
    return instances
