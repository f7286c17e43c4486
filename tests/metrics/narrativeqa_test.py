import csv

import pytest
from allennlp.common.checks import ConfigurationError
from allennlp_models.rc.metrics import SquadEmAndF1

from allennlp_coref_rc.metrics.narrativeqa import NarrativeQaMetric
from allennlp_coref_rc.metrics.quoref import QuorefMetric
from tests.processes import run_in_processes
from tests.shared import NARRATIVEQA, needs_narrativeqa

PREDICTIONS = ["he agrees to play the panpipes at the fairy dances", "jacob 's mother-in-law", "."]
REFERENCES = [
    [
        "he agrees to play the panpipes at all of the fairy dances.",
        "He amuses them with his human ways and plays the pipes at their dances.",
    ],
    ["Jacob's mother in law", "The U.S. Army, e.g. $5.00 can't"],
    ["yes", "no."],
]
# Of pycocoevalcap 1.2 with its Java tokeniser.
BLEU = {"bleu_1": 0.628350, "bleu_2": 0.591572, "bleu_3": 0.541538, "bleu_4": 0.498544}
EXPECTED = {"rouge_l": 0.457620, **BLEU}
KEYS = {*EXPECTED, "exact_match", "f1"}


def evaluate(predictions, references, **options):
    metric = NarrativeQaMetric(**options)
    metric(predictions, references)
    return metric.get_metric()


def test_the_reference_values():
    metrics = evaluate(PREDICTIONS, REFERENCES)
    assert set(metrics) == KEYS
    for key, value in EXPECTED.items():
        assert metrics[key] == pytest.approx(value, abs=5e-7), key
    items = [evaluate([prediction], [texts])["rouge_l"] for prediction, texts in zip(PREDICTIONS, REFERENCES)]
    assert items == pytest.approx([0.894428, 0.478431, 0], abs=5e-7)


def test_exact_match_and_f1_are_squads():
    squad = SquadEmAndF1()
    predictions = [*PREDICTIONS, "The yes!"]
    references = [*REFERENCES, ["no", "yes"]]
    squad(predictions, references)
    metrics = evaluate(predictions, references)
    assert (metrics["exact_match"], metrics["f1"]) == pytest.approx(squad.get_metric())
    assert metrics["exact_match"] == 0.25


def test_batches_of_different_sizes_add_up_and_reset_forgets():
    metric = NarrativeQaMetric()
    assert metric.get_metric() == dict.fromkeys(KEYS, 0.0)
    metric(PREDICTIONS[:1], REFERENCES[:1])
    metric(PREDICTIONS[1:], REFERENCES[1:])
    assert metric.get_metric(reset=True) == pytest.approx(evaluate(PREDICTIONS, REFERENCES))
    assert metric.get_metric() == dict.fromkeys(KEYS, 0.0)


@pytest.mark.parametrize(
    "predictions, references, message",
    [
        (["a"], [["a"], ["b"]], "found references of 2 questions, expected 1"),
        (["a"], [[]], r"references: found \[\], expected a list of one or more"),
        (["a"], ["a"], "references: found 'a', expected a list of one or more"),
    ],
)
@pytest.mark.parametrize("metric", [NarrativeQaMetric, QuorefMetric])
def test_bad_input_is_named(metric, predictions, references, message):
    with pytest.raises(ConfigurationError, match=message):
        metric()(predictions, references)


def _two_processes(rank, metric, expected):
    # Uneven shares, so that a mean of the processes' means would be wrong.
    mine = slice(0, 1) if rank == 0 else slice(1, 3)
    metric(PREDICTIONS[mine], REFERENCES[mine])
    assert metric.get_metric() == pytest.approx(expected)


def test_two_processes_agree_with_one():
    run_in_processes(2, _two_processes, NarrativeQaMetric(), evaluate(PREDICTIONS, REFERENCES))


@pytest.mark.slow
@needs_narrativeqa
def test_people_score_what_the_authors_of_the_data_set_report():
    with open(NARRATIVEQA / "qaps.csv", newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["set"] == "test"]
    assert len(rows) == 10557
    metrics = evaluate(
        [row["answer2_tokenized"] for row in rows], [[row["answer1_tokenized"]] for row in rows]
    )
    # Kočiský et al. 2018, table 4: human answers on the summaries, there of the raw text.
    assert 100 * metrics["bleu_1"] == pytest.approx(44.43, abs=0.5)
    assert 100 * metrics["rouge_l"] == pytest.approx(57.02, abs=0.5)
