import re

import allennlp_models.structured_prediction  # noqa: F401  registers the model "srl"
import pytest
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import Batch, DatasetReader, Vocabulary
from allennlp.models import Model
from hypothesis import given, settings
from hypothesis import strategies as st

from allennlp_coref_rc.annotations import AnnotatedText
from allennlp_coref_rc.annotations.bio import bio_spans, bio_tags
from allennlp_coref_rc.annotations.formats.conllu import Sentence, Word, read_conllu_sentences
from allennlp_coref_rc.data.dataset_readers import PropbankConlluReader
from allennlp_coref_rc.data.dataset_readers.propbank_conllu import frames
from tests.shared import SHARED
from tests.training_config.configs import FIXTURES

PROPBANK = FIXTURES / "annotators" / "up_english_ewt" / "dev.conllu"
EWT = SHARED / "data" / "annotators" / "up_english_ewt"


def in_words(sentence):
    return [
        (
            sentence.words[frame.predicate[0]].form,
            {role: " ".join(word.form for word in sentence.words[a:b]) for role, (a, b) in frame.arguments},
        )
        for frame in frames(sentence)
    ]


SENTENCES = list(read_conllu_sentences(str(PROPBANK)))


def test_arguments_are_subtrees_without_the_predicate_and_the_other_arguments():
    assert in_words(SENTENCES[0]) == [
        ("chased", {"ARG0": "The cat", "ARGM-NEG": "never", "ARG1": "the mice that lived in the barn"}),
        # Without the relative clause that the predicate heads.
        ("lived", {"ARG0": "the mice", "R-ARG0": "that", "ARGM-LOC": "in the barn"}),
    ]
    # The head of the second argument heads the sentence; signs at the end are cut off.
    assert in_words(SENTENCES[3]) == [("was", {"ARG1": "It", "ARG2": "sweet", "ARGM-DIS": "yes"})]


def test_sentences_without_predicates_and_particles():
    assert frames(SENTENCES[1]) == []
    assert in_words(SENTENCES[4]) == [("gave", {"ARG0": "They", "ARG1": "the house"})]


def test_instances_of_both_tasks():
    predicates = list(PropbankConlluReader("predicates").read(str(PROPBANK)))
    assert len(predicates) == 9
    assert predicates[0]["tags"].labels == ["O"] * 3 + ["B-V"] + ["O"] * 3 + ["B-V"] + ["O"] * 4
    roles = list(PropbankConlluReader("roles", verb_indicator=True).read(str(PROPBANK.parent)))
    assert len(roles) == 9
    assert bio_spans(roles[0]["tags"].labels) == [("ARG0", (0, 2)), ("ARGM-NEG", (2, 3)), ("ARG1", (4, 11))]
    assert [token.ent_type_ for token in roles[0]["tokens"]] == "-3 -2 -1 0 1 2 3 4 5 6 6 6".split()
    assert {token.lemma_ for token in roles[0]["tokens"]} == {"chased"}
    assert roles[0]["verb_indicator"].labels.index(1) == roles[0]["metadata"]["verb_index"] == 3


def test_other_roles_are_left_out_and_counted():
    reader = PropbankConlluReader("roles", roles=["ARG0"])
    instances = list(reader.read(str(PROPBANK)))
    assert {role for instance in instances for role, _ in bio_spans(instance["tags"].labels)} == {"ARG0"}
    assert reader.skipped["arguments with the role 'ARGM-LOC'"] == 2


def test_allennlp_s_srl_model_reads_roles():
    reader = PropbankConlluReader("roles", verb_indicator=True)
    instances = list(reader.read(str(PROPBANK)))
    vocab = Vocabulary.from_instances(instances)
    model = Model.from_params(
        Params(
            {
                "type": "srl",
                "text_field_embedder": {"token_embedders": {"tokens": {"type": "embedding", "embedding_dim": 3}}},
                "encoder": {"type": "lstm", "input_size": 5, "hidden_size": 4},
                "binary_feature_dim": 2,
                "ignore_span_metric": True,
            }
        ),
        vocab=vocab,
    )
    batch = Batch(instances)
    batch.index_instances(vocab)
    model(**batch.as_tensor_dict())["loss"].backward()
    assert all(len(output["tags"]) == len(output["words"]) for output in model.forward_on_instances(instances))


@st.composite
def trees(draw):
    """A sentence with a predicate and arguments on random heads of a random tree."""
    length = draw(st.integers(1, 7))
    order = draw(st.permutations(range(length)))
    parents = [-1] * length
    for i, word in enumerate(order[1:], start=1):
        parents[word] = order[draw(st.integers(0, i - 1))]
    predicate = draw(st.integers(0, length - 1))
    words = []
    for i in range(length):
        role = "V" if i == predicate else draw(st.sampled_from(["_", "_", f"R{i}"]))
        pos = draw(st.sampled_from(["NOUN", "PUNCT"]))
        columns = [str(i + 1), "w", "w", pos, "_", "_", str(parents[i] + 1), "_", "_", "_"]
        words.append(Word("w", i + 1, columns + ["p.01" if i == predicate else "_", role]))
    return parents, predicate, Sentence("d", "f, line 1", words)


@given(trees())
@settings(derandomize=True, deadline=None)
def test_arguments_are_those_of_the_definition(tree):
    parents, predicate, sentence = tree

    def subtree(head):
        return {head}.union(*(subtree(child) for child, parent in enumerate(parents) if parent == head))

    roles = {i: word.columns[11] for i, word in enumerate(sentence.words) if word.columns[11].startswith("R")}
    expected = []
    for head, role in roles.items():
        # Subtrees that lie in this one, not those around it.
        inside = [other for other in (*roles, predicate) if other != head and other in subtree(head)]
        left = subtree(head).difference(*map(subtree, inside))
        runs = [
            (a, b)
            for a in range(head + 1)
            for b in range(head + 1, len(parents) + 1)
            if left.issuperset(range(a, b))
            and (a == head or sentence.words[a].columns[3] != "PUNCT")
            and (b == head + 1 or sentence.words[b - 1].columns[3] != "PUNCT")
        ]
        expected.append((role, max(runs, key=lambda run: run[1] - run[0])))
    (frame,) = frames(sentence)
    assert frame.predicate == (predicate, predicate + 1) and frame.arguments == expected
    assert sorted(bio_spans(bio_tags(len(parents), expected))) == sorted(expected)
    AnnotatedText(["w"] * len(parents), frames=[frame])


ROW = "{}\tw\tw\tX\t_\t_\t{}\tdep\t_\t_"


@pytest.mark.parametrize(
    "rows, message",
    [
        ([ROW.format(1, 0)], "line 1: found 10 columns, expected 11 or more, with predicates"),
        ([ROW.format(1, 0) + "\tp.01"], "line 1: found 1 predicates and 0 columns of roles, expected as many"),
        ([ROW.format(1, 0) + "\t_\tARG0"], "line 1: found 0 predicates and 1 columns of roles, expected as many"),
        ([ROW.format(1, "x") + "\tp.01\tV"], "line 1: found the head 'x', expected a number up to 1"),
        ([ROW.format(1, 2) + "\tp.01\tV"], "line 1: found the head '2', expected a number up to 1"),
        (
            [ROW.format(1, 2) + "\tp.01\tV", ROW.format(2, 1) + "\t_\t_"],
            "line 1: found heads in a circle, expected a tree",
        ),
    ],
)
def test_malformed_sentences_are_named(tmp_path, rows, message):
    path = tmp_path / "a.conllu"
    path.write_text("\n".join(rows))
    with pytest.raises(ConfigurationError, match=re.escape(f"{path}, {message}")):
        list(PropbankConlluReader("roles").read(str(path)))


def test_a_task_is_asked_for():
    with pytest.raises(ConfigurationError, match="task is 'srl', .*predicates, roles"):
        DatasetReader.from_params(Params({"type": "propbank_conllu", "task": "srl"}))


@pytest.mark.slow
@pytest.mark.skipif(not EWT.exists(), reason="Universal PropBank is missing")
def test_the_real_corpus():
    sides = {fold: PropbankConlluReader("predicates", fold=fold) for fold in (None, "train", "valid")}
    counts = {fold: len(list(reader.read(str(EWT)))) for fold, reader in sides.items()}
    assert counts[None] == 2002 == counts["train"] + counts["valid"]
    assert len(list(PropbankConlluReader("roles").read(str(EWT)))) > 4900
