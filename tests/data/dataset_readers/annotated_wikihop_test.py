import gzip
import json
import re
from itertools import permutations

import pytest
from allennlp.common.checks import ConfigurationError
from allennlp.data.tokenizers import WhitespaceTokenizer

from allennlp_coref_rc.annotations.annotators import ExactMatchCoref
from allennlp_coref_rc.common.json_value import JsonValue
from allennlp_coref_rc.data.annotation_layers import CorefEdges
from allennlp_coref_rc.data.dataset_readers.annotated_wikihop import AnnotatedWikiHopReader
from tests.data.dataset_readers.reader_assertions import left_out, metadata, refusal, tokens
from tests.shared import PROJECT, WIKIHOP, needs_wikihop

FIXTURES = PROJECT / "tests" / "fixtures" / "wikihop"
TRAIN, DEV, MASKED, PREPROCESSED = (
    str(FIXTURES / name) for name in ("train.json", "dev.json", "dev.masked.json", "training.json")
)

ABSENT = "the answer is not in the passage"

QUESTION = {"id": "a", "query": "part_of wheel"}
ITEM = {**QUESTION, "answer": "car", "candidates": ["boat", "car"], "supports": ["A car."]}


def reader(**options):
    return AnnotatedWikiHopReader(**{"annotation_layers": {"coref": CorefEdges("first", "last")}, **options})


def official(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def write(path, *items):
    path.write_text(json.dumps(items))
    return str(path)


def words(instance, span):
    return " ".join((tokens(instance["passage"]) + tokens(instance["question"]))[slice(*span)])


def document_of(made, item):
    return made.to_document(("1", JsonValue(item)))


class TestAnnotatedWikiHopReader:
    def test_passage_question_candidates_and_answer(self):
        item = official(TRAIN)[0]
        instance = next(iter(reader(shuffle_supports=False).read(TRAIN)))
        names = "passage question passage_annotations question_annotations candidates answer metadata"
        assert set(instance.fields) == set(names.split())
        passage = tokens(instance["passage"])
        assert "".join(passage) == "".join(item["supports"]).replace(" ", "")
        assert "St." in passage and passage[19:23] == ["coast", ".", "Tromsø", "is"]
        assert tokens(instance["question"]) == ["country_of_citizenship", "anton", "berg"]
        data = instance["metadata"].metadata
        wanted = ("WH_train_0", "norway", item["query"].split()[0])
        assert (data["id"], data["answer"], data["relation"]) == wanted
        assert data["candidates"] == item["candidates"] and "follows" not in data
        assert instance["answer"].label == 2
        found = {i: [] for i in range(4)}
        for candidate, position in instance["candidates"].human_readable_repr():
            found[candidate].append(passage[position])
        expected = [["Denmark"], ["Kingdom", "of", "Sweden"], ["Norway", "Norway"], ["St.", "Helena"]]
        assert found == dict(enumerate(expected))

    def test_supports_come_in_an_order_that_the_seed_and_the_id_decide(self):
        def passages(**options):
            return [" ".join(data["passage_tokens"]) for data in metadata(reader(**options).read(TRAIN))]

        given = passages(shuffle_supports=False)
        shuffled = {seed: passages(seed=seed) for seed in range(30)}
        for seed in range(3):
            assert shuffled[seed] == passages(seed=seed)
        texts = [[" ".join(reader().tokenize(text)) for text in item["supports"]] for item in official(TRAIN)]
        for i, passage in enumerate(given):
            orders = {" ".join(order) for order in permutations(texts[i])}
            assert passage == " ".join(texts[i])
            assert {found[i] for found in shuffled.values()} <= orders
        assert len({found[0] for found in shuffled.values()}) > 10
        # Questions about the same texts have them in orders of their own.
        item = {**ITEM, "supports": [f"A car {i}." for i in range(9)]}
        assert len({tuple(document_of(reader(), {**item, "id": str(i)}).text.tokens) for i in range(9)}) == 9
        # Earlier questions in the file do not change a question's passage.
        assert [passages(seed=1, max_instances=1)[0]] == passages(seed=1)[:1]

    def test_sentences_end_with_their_support(self):
        made = reader(shuffle_supports=False)
        documents = [document_of(made, {**ITEM, "supports": ["A car", "goes. It stops", "now"]})]
        assert documents[0].text.sentences == [(0, 2), (2, 4), (4, 6), (6, 7), (7, 9)]
        assert documents[0].data["questions"][0]["supports"] == [[0, 2], [2, 6], [6, 7]]

    def test_an_entity_without_a_name(self):
        instance = list(reader().read(TRAIN))[2]
        assert tokens(instance["question"]) == ["instance_of"]
        assert instance["answer"].label == 1

    def test_candidates_as_a_bag_of_tokens(self):
        def positions(bag_of_tokens):
            instance = list(reader(shuffle_supports=False, bag_of_tokens=bag_of_tokens).read(TRAIN))[1]
            passage = tokens(instance["passage"])
            pairs = instance["candidates"].human_readable_repr()
            return [[passage[position] for i, position in pairs if i == number] for number in range(3)]

        first = [["carver", "carver"], ["miller"]]
        assert positions(False) == [*first, ["stone", "carver"]]
        assert positions(True) == [*first, ["carver", "carver", "stone", "stone"]]

    def test_answers_that_are_not_in_the_passage(self, caplog):
        made = reader()
        assert [data["id"] for data in metadata(made.read(TRAIN))] == [f"WH_train_{i}" for i in range(3)]
        assert made.report.skipped == {ABSENT: 1}
        assert f"{TRAIN}: 1 of 4 questions skipped: {ABSENT}" in caplog.text
        made = reader(keep_skipped=True)
        instances = list(made.read(TRAIN))
        assert [instance["answer"].label for instance in instances] == [2, 2, 1, -2]
        assert made.report.skipped == {ABSENT: 1}
        # A candidate that is nowhere stays one: "upper vale" has no token here, but in a bag of tokens two.
        assert len(instances[3]["candidates"]) == 2
        assert {i for i, _ in instances[3]["candidates"].human_readable_repr()} == {0}
        made = reader(bag_of_tokens=True)
        assert len(list(made.read(TRAIN))) == 4 and not made.report.skipped

    def test_what_is_cut_off(self):
        whole = list(reader(shuffle_supports=False).read(TRAIN))
        for length in range(1, 45):
            made = reader(shuffle_supports=False, max_passage_length=length, keep_skipped=True)
            instances = list(made.read(TRAIN))[:3]
            for cut, full in zip(instances, whole):
                assert tokens(cut["passage"]) == tokens(full["passage"])[:length]
                answer = full["metadata"].metadata["answer"]
                in_passage = f" {answer} " in f" {' '.join(tokens(cut['passage'])).lower()} "
                assert (cut["answer"].label == full["answer"].label) == in_passage
                assert (cut["answer"].label == -2) == (not in_passage)

    def test_masks_are_tokens(self):
        (instance,) = reader(shuffle_supports=False).read(MASKED)
        masks = [token for token in tokens(instance["passage"]) if "MASK" in token]
        assert masks == ["___MASK12___", "___MASK3___", "___MASK7___", "___MASK3___"]
        assert tokens(instance["passage"])[-3:] == ["'s", "harbour", "."]
        assert [i for i, _ in instance["candidates"].human_readable_repr()] == [0, 1, 1, 2]
        assert instance["answer"].label == 0

    def test_what_most_workers_said(self):
        found = [(data["follows"], data["single"], data["multiple"]) for data in metadata(reader().read(DEV))]
        assert found == [(True, False, True), (True, True, False), (False, True, False)]

    @pytest.mark.parametrize(
        "subset, expected",
        [("follows", [0, 1]), ("follows_single", [1]), ("follows_multiple", [0]), (None, [0, 1, 2])],
    )
    def test_subsets(self, subset, expected, caplog):
        made = reader(subset=subset, keep_skipped=True)
        assert [data["id"] for data in metadata(made.read(DEV))] == [f"WH_dev_{i}" for i in expected]
        assert made.report.skipped.total() == 3 - len(expected)
        if subset:
            skipped = f"{DEV}: {3 - len(expected)} of 3 questions skipped: not of the subset {subset!r}"
            assert skipped in caplog.text

    def test_a_subset_needs_annotations_but_predictions_do_not(self):
        message = refusal(lambda: list(reader(subset="follows").read(TRAIN)))
        assert message.startswith(f"{TRAIN}, object 1: found no annotations")
        assert "dataset_reader.subset" in message
        assert reader(subset="follows").text_to_instance("A car.", "part_of wheel", candidates=["car"])

    def test_unlabelled_files(self, tmp_path):
        item = {key: value for key, value in ITEM.items() if key not in ("answer", "id")}
        path = write(tmp_path / "test.json", item, {**item, "answer": None})
        for number, instance in enumerate(reader().read(path), start=1):
            assert "answer" not in instance.fields
            assert instance["metadata"].metadata["id"] == f"test.json:{number}"
            assert instance["metadata"].metadata["answer"] is None
        assert number == 2

    def test_unlabelled_input(self):
        made = reader(annotator=ExactMatchCoref(), shuffle_supports=True)
        supports = ["Anna lives in Ulm.", "Ulm has a river. Ann knows Ulm.", "The Sorne is long."]
        instance = made.text_to_instance(supports, "lives_at anna", candidates=["ulm", "rome", "sorne"])
        assert "answer" not in instance.fields
        assert " ".join(tokens(instance["passage"])).startswith("Anna lives in Ulm . Ulm has")
        assert tokens(instance["question"]) == ["lives_at", "anna"]
        (ulm,) = instance["metadata"].metadata["clusters"]
        assert [words(instance, mention) for mention in ulm] == ["Ulm"] * 3
        known = {"candidates": ["ulm"], "answer": "Ulm"}
        text = made.text_to_instance(" ".join(supports), ["lives_at", "Anna"], **known)
        assert tokens(text["passage"]) == tokens(instance["passage"]) and text["answer"].label == 0
        unknown = made.text_to_instance("Ulm", "lives_at", candidates=["ulm"], answer="bonn")
        assert unknown["answer"].label == -1
        with pytest.raises(ConfigurationError, match="found a question without candidates, expected a list"):
            made.text_to_instance(supports, "lives_at anna")
        with pytest.raises(ConfigurationError, match=f"left out: {ABSENT}"):
            made.text_to_instance(supports, "lives_at anna", candidates=["rome"], answer="rome")
        with pytest.raises(ConfigurationError, match="found an empty question"):
            made.text_to_instance(supports, [], candidates=["ulm"])

    def test_given_clusters_stay_as_they_are(self):
        made = reader(annotator=ExactMatchCoref(), max_clusters=1)
        clusters = [[[0, 1], [2, 3]], [[1, 2], [4, 5]]]
        given = {"candidates": ["him"], "clusters": clusters}
        instance = made.text_to_instance("He saw him .", "lives_at anna", **given)
        assert instance["metadata"].metadata["clusters"] == [[(0, 1), (2, 3)], [(1, 2), (4, 5)]]

    @pytest.mark.parametrize("path", [TRAIN, DEV, MASKED])
    def test_an_object_a_line_gives_what_a_list_gives(self, path, tmp_path):
        lines = tmp_path / "a.jsonl.gz"
        lines.write_bytes(gzip.compress("\n".join(map(json.dumps, official(path))).encode()))
        assert metadata(reader().read(str(lines))) == metadata(reader().read(path))

    def test_max_instances_and_laziness(self, tmp_path):
        assert len(list(reader(max_instances=2).read(TRAIN))) == 2
        path = tmp_path / "a.json"
        path.write_text(json.dumps([ITEM, ITEM])[:-20])
        instances = iter(reader().read(str(path)))
        assert next(instances)["metadata"].metadata["id"] == "a"
        with pytest.raises(ConfigurationError, match="object 2: found damaged JSON"):
            next(instances)


class TestClusters:
    SUPPORTS = [
        "Anna Holt knows Bo . Bo paints .",
        "Cleo paints . Cleo is from Ulm .",
        "Dora and Emil live in Rome . Emil and Dora sing .",
        "Rome is old . Ulm is older .",
    ]

    def instance(self, **options):
        # Exact match of every capitalised word; "and" is an entity of no support of Anna's.
        entities = ["anna", "bo", "cleo", "dora", "emil", "ulm", "rome", "paints", "holt"]
        options = {"tokenizer": WhitespaceTokenizer(), "annotator": ExactMatchCoref(entities), **options}
        item = {"id": "a", "query": "home_of anna holt", "candidates": ["ulm", "rome"]}
        item["supports"] = self.SUPPORTS
        made = reader(shuffle_supports=False, **options)
        return made.to_instance(made.annotate(document_of(made, item)))

    def found(self, **options):
        instance = self.instance(**options)
        return [words(instance, cluster[0]) for cluster in instance["metadata"].metadata["clusters"]]

    def test_kept_are_those_with_a_candidate_or_near_the_entity(self):
        assert self.found(filter_clusters=False) == ["Bo", "paints", "Cleo", "Ulm", "Dora", "Emil", "Rome"]
        # Bo and what paints stand in a support with Anna Holt, Cleo, Dora and Emil do not; Ulm and Rome are
        # candidates.
        assert self.found() == ["Bo", "paints", "Ulm", "Rome"]

    def test_the_entity_is_near_itself_and_found_in_the_question(self):
        assert self.found(annotate_together=True) == ["Anna", "Holt", "Bo", "paints", "Ulm", "Rome"]
        clusters = self.instance(annotate_together=True)["metadata"].metadata["clusters"]
        assert clusters[0] == [(0, 1), (37, 38)]

    def test_a_mention_in_the_question_is_one_of_the_entity(self):
        # The passage has no more than the second name.
        supports = ["Holt paints. Bo sings. Holt and Bo sing."]
        item = {**ITEM, "query": "home_of anna holt", "supports": supports}
        for together, expected in ((True, ["Holt"]), (False, [])):
            options = {"annotate_together": together, "keep_skipped": True}
            made = reader(annotator=ExactMatchCoref(["holt", "bo"]), **options)
            instance = made.to_instance(made.annotate(document_of(made, item)))
            clusters = instance["metadata"].metadata["clusters"]
            assert [words(instance, cluster[0]) for cluster in clusters] == expected

    def test_the_largest_are_kept(self):
        assert self.found(filter_clusters=False, max_clusters=3) == ["Bo", "paints", "Cleo"]
        assert self.found(max_clusters=2) == ["Bo", "paints"]
        assert self.found(max_clusters=0) == []
        assert len(self.found(max_clusters=None, filter_clusters=False)) == 7

    def test_what_is_cut_off_is_neither_candidate_nor_near(self):
        # Only one mention of Ulm and Rome is left.
        assert self.found(max_passage_length=24) == ["Bo", "paints"]

    def test_more_than_fifty_clusters(self):
        names = [f"n{i}" for i in range(60)]
        texts = [f"anna {name} {name}" + f" {name}" * (i % 2) for i, name in enumerate(names)]
        item = {"id": "a", "query": "home_of anna", "candidates": ["n1"], "supports": texts}
        made = reader(annotator=ExactMatchCoref(names), shuffle_supports=False)
        instance = made.to_instance(made.annotate(document_of(made, item)))
        kept = [words(instance, cluster[0]) for cluster in instance["metadata"].metadata["clusters"]]
        # All of three mentions, and the first twenty of two.
        assert kept == [name for i, name in enumerate(names) if i % 2 or i < 40]


class TestPreprocessedFiles:
    def test_tokens_and_clusters_are_the_authors(self):
        with open(PREPROCESSED, encoding="utf-8") as file:
            items = [json.loads(line) for line in file]
        # An annotator is for files that are not annotated.
        instances = list(reader(annotator=ExactMatchCoref()).read(PREPROCESSED))
        for instance, item in zip(instances, items):
            data = instance["metadata"].metadata
            assert tokens(instance["passage"]) == item["document"].split()
            assert tokens(instance["question"]) == item["query"].split()
            assert data["candidates"] == [" ".join(candidate) for candidate in item["candidates"]]
            assert data["candidates"][instance["answer"].label] == data["answer"] == item["answer"]
        clusters = instances[0]["metadata"].metadata["clusters"]
        mentions = [[words(instances[0], span) for span in cluster] for cluster in clusters]
        assert mentions == [["anton berg", "he"], ["tromsø", "tromsø", "its"], ["norway", "norway"]]
        antecedents = instances[0]["passage_annotations"].layers["coref"]["antecedents"]
        # Read at the first token of a mention, written at the last of the one before.
        found = {i: place for i, places in enumerate(antecedents) for place in places}
        assert found == {0: -1, 8: 1, 6: -1, 12: 6, 22: 12, 20: -1, 33: 20}
        assert instances[1]["metadata"].metadata["clusters"] == []

    def test_clusters_are_cut_with_the_passage_and_capped(self):
        instance = next(iter(reader(max_passage_length=21).read(PREPROCESSED)))
        assert instance["metadata"].metadata["clusters"] == [[(0, 2), (8, 9)], [(6, 7), (12, 13)]]
        instance = next(iter(reader(max_clusters=1).read(PREPROCESSED)))
        assert instance["metadata"].metadata["clusters"] == [[(6, 7), (12, 13), (22, 23)]]

    def test_files_that_bring_clusters_are_not_warned_of(self, caplog):
        list(reader().read(PREPROCESSED))
        assert "found nothing" not in caplog.text
        list(reader().read(TRAIN))
        assert f"{TRAIN}: found nothing for dataset_reader.annotation_layers (coref)" in caplog.text

    @pytest.mark.parametrize(
        "change",
        [
            {"coref_onehot": [[[-1, 0, 7]]]},
            {"coref_onehot": [[[-2, 0, 1]]]},
            {"mentions": [[0, 99]] * 7},
            {"document": None},
        ],
        ids=str,
    )
    def test_what_is_wrong(self, tmp_path, change):
        with open(PREPROCESSED, encoding="utf-8") as file:
            item = json.loads(next(file))
        path = write(tmp_path / "a.json", {**item, **change})
        message = refusal(lambda: list(reader().read(path)))
        assert message.startswith(f"{path}, object 1: ") and "expected" in message


class TestMalformedFiles:
    @pytest.mark.parametrize(
        "change, expected",
        [
            ({"query": " "}, "found an empty question"),
            ({"answer": "plane"}, "found the answer 'plane', expected one of the candidates"),
            ({"candidates": []}, "found [] at candidates, expected a list of one or more texts"),
            ({"supports": [["A car."]]}, 'found ["A car."] at supports[0], expected a string'),
            ({"annotations": ["follows", "single"]}, 'found "follows" at annotations[0], expected a list'),
        ],
        ids=str,
    )
    def test_what_is_wrong_and_where(self, tmp_path, change, expected):
        path = tmp_path / "a.json"
        path.write_text(f"[{json.dumps(ITEM)},\n{json.dumps({**ITEM, **change})}]")
        message = left_out(reader(), str(path))
        assert message.startswith(f"{path}, object 2: {expected}")


@needs_wikihop
class TestRealFiles:
    def test_all_questions_are_read_and_every_candidate_found(self):
        for name, number in (("train.json", 2), ("dev.json", 1)):
            made = reader(annotator=ExactMatchCoref())
            instances = list(made.read(str(WIKIHOP / name)))
            assert len(instances) == number and not made.report.skipped
            for instance, item in zip(instances, official(WIKIHOP / name)):
                relation, _, entity = item["query"].partition(" ")
                assert tokens(instance["question"]) == [relation, *entity.split()]
                assert len(instance["passage"]) > 400
                found = instance["candidates"].human_readable_repr()
                text = " ".join(item["supports"]).lower()
                for i, candidate in enumerate(item["candidates"]):
                    times = len(re.findall(rf"\b{re.escape(candidate)}\b", text))
                    assert sum(number == i for number, _ in found) == times * len(candidate.split()) > 0
