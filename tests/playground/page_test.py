"""The page, run by Streamlit in this process, without a server and a browser."""

import json
import sys

import pytest

from allennlp_coref_rc.api.load import BUNDLED
from allennlp_coref_rc.playground.charts import MAX_BARS, note_on_sum
from allennlp_coref_rc.playground.examples import examples

testing = pytest.importorskip("streamlit.testing.v1")

pytestmark = pytest.mark.slow

CONFIG = "another: its config"

STORY = "Zelda got the milk. Quentin went to the garden. Zelda went to the office."

QUESTION = "Where is the milk?"


@pytest.fixture(autouse=True)
def main_module_as_before(monkeypatch):
    """Streamlit leaves its script as the main module, which processes that a later test starts would run."""
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])


def script(archives, trust):
    from allennlp_coref_rc.playground._screen import show

    show(archives, trust)


def open_page(archives, trust=False, **values):
    """The page, on which these values have been entered."""
    kwargs = {"archives": archives, "trust": trust}
    page = testing.AppTest.from_function(script, kwargs=kwargs, default_timeout=60)
    for name, value in values.items():
        page.session_state[name] = value
    page.run()
    assert not page.exception
    return page


@pytest.fixture
def page(archive):
    return open_page({"mine": archive}, passage=STORY, question=QUESTION)


def answers(page):
    assert not page.exception and not page.error
    return {metric.label: metric.value for metric in page.metric}


def mentions(page):
    """The mentions on the page, cluster by cluster, with the widget that chooses them."""
    pills = [pills for pills in page.pills if pills.key.startswith("mentions_")]
    return sorted(pills, key=lambda one: int(one.key.rpartition("_")[2]))


def clusters(page):
    """The mentions on the page, cluster by cluster, as words and sentences."""
    return [
        [option.replace(" :gray[", "").rstrip("]") for option in pills.options] for pills in mentions(page)
    ]


def edit(page, name, *chosen):
    """Chooses mentions, (cluster, span) each, and does something with them."""
    for pills in mentions(page):
        cluster = int(pills.key.rpartition("_")[2])
        pills.set_value([span for index, span in chosen if index == cluster])
    return press(page.run(), name)


def labelled(widgets, label):
    (found,) = [widget for widget in widgets if widget.label == label]
    return found


def click_words(page, *tokens):
    """Clicks words of the text."""
    words = [pills for pills in page.pills if pills.key.startswith("words_")]
    starts = [int(pills.key.rpartition("_")[2]) for pills in words]
    for pills, start, stop in zip(words, starts, [*starts[1:], 1000]):
        pills.set_value([token for token in tokens if start <= token < stop])
    page.run()


def press(page, name):
    button = labelled(page.button, name)
    assert not button.disabled
    return button.click().run()


def test_an_edit_changes_the_answer_and_can_be_undone(page):
    assert answers(page) == {"mine": "office"}
    assert clusters(page) == [["Zelda1", "Zelda3"], ["milk1", "milk?"]]
    edit(page, "Drop", (0, (11, 12)))
    assert clusters(page) == [["Zelda1"], ["milk1", "milk?"]]
    # Quentin's move is now all that is known, once he is Zelda.
    click_words(page, 5)
    labelled(page.selectbox, "To the cluster").set_value(0).run()
    press(page, "Add")
    assert clusters(page)[0] == ["Zelda1", "Quentin2"]
    assert answers(page) == {"mine": "garden"}
    assert "office" in " ".join(caption.value for caption in page.caption)
    press(page, "Undo")
    assert clusters(page)[0] == ["Zelda1"]
    press(page, "Start over")
    assert clusters(page) == [["Zelda1", "Zelda3"], ["milk1", "milk?"]]
    assert answers(page) == {"mine": "office"}


def test_another_annotator_and_another_question_begin_anew(page):
    edit(page, "Drop", (0, (0, 1)))
    page.selectbox(key="annotator").set_value("none").run()
    assert clusters(page) == [] and not page.error
    page.selectbox(key="annotator").set_value(CONFIG).run()
    page.text_area(key="config").set_value('{"type": "exact_match_coref", "max_clusters": 1}').run()
    assert clusters(page) == [["Zelda1", "Zelda3"]]


def test_candidates_without_a_bar_are_counted_in_the_note():
    share = dict.fromkeys(map(str, range(MAX_BARS + 2)), 0.05)
    assert note_on_sum({"best": 0.4, **share}) == "The 3 other candidates have 0.150 together."
    assert note_on_sum({"best": 0.9, "other": 0.1}) == ""
    assert note_on_sum({"best": 0.5, **share}, "Note.") == "Note. The 3 other candidates have 0.150 together."


def test_two_readers_answer_side_by_side(archive):
    page = open_page(dict.fromkeys(("first", "second", "third"), archive), passage=STORY, question=QUESTION)
    assert answers(page) == {"first": "office", "second": "office"}
    edit(page, "Drop", (0, (11, 12)))
    page.multiselect(key="readers").set_value(["third"]).run()
    assert answers(page) == {"third": "office"}


def test_examples_are_asked(archive):
    page = open_page({"mine": archive})
    *names, own = page.selectbox(key="example").options
    assert names == list(examples())
    for example in names:
        page.selectbox(key="example").set_value(example).run()
        assert "mine" in answers(page), example
        assert page.text_area(key="passage").value == examples()[example].passage
        assert page.selectbox(key="example").value == example
    page.text_area(key="passage").set_value(STORY).run()
    assert page.selectbox(key="example").value == own
    page.selectbox(key="example").set_value(names[0]).run()
    page.selectbox(key="example").set_value(own).run()
    assert page.text_area(key="passage").value == page.text_input(key="question").value == ""


def reloaded(page, archives):
    """The page in a new session, from the address of the old one."""
    other = testing.AppTest.from_function(script, kwargs={"archives": archives, "trust": False})
    other.query_params.update(page.query_params)
    return other.run(timeout=60)


def test_a_reload_keeps_what_was_typed_unless_it_is_long(archive):
    archives = {"mine": archive}
    page = open_page(archives)
    asked = page.text_input(key="question").value
    # The passage alone is changed.
    page.text_area(key="passage").set_value(STORY).run()
    other = reloaded(page, archives)
    assert (other.text_area(key="passage").value, other.text_input(key="question").value) == (STORY, asked)
    page.text_input(key="candidates").set_value("garden, kitchen")
    page.text_input(key="question").set_value(QUESTION).run()
    other = reloaded(page, archives)
    assert answers(other) == {"mine": "garden"} and other.text_input(key="question").value == QUESTION
    page.text_area(key="passage").set_value("Zelda went to the office. " * 1000).run()
    assert not page.query_params


def test_a_reload_keeps_the_annotator_the_readers_and_the_edits(archive):
    archives = dict.fromkeys(("first", "second", "third"), archive)
    page = open_page(archives, passage=STORY, question=QUESTION)
    page.multiselect(key="readers").set_value(["third"]).run()
    page.selectbox(key="annotator").set_value(CONFIG).run()
    page.text_area(key="config").set_value('{"type": "exact_match_coref", "max_clusters": 1}').run()
    edit(page, "Drop", (0, (11, 12)))
    other = reloaded(page, archives)
    assert clusters(other) == clusters(page) == [["Zelda1"]] and answers(other).keys() == {"third"}
    press(other, "Undo")
    assert clusters(other) == [["Zelda1", "Zelda3"]]
    # The annotator's clusters are not edited ones, and those of another text are not of this one.
    assert labelled(reloaded(other, archives).button, "Undo").disabled
    page.text_area(key="passage").set_value("Mary left.").run()
    assert clusters(reloaded(page, archives)) == []
    page.query_params["clusters"] = "[[[0, 99]]]"
    assert clusters(reloaded(page, archives)) == []


def test_the_page_says_which_links_of_the_readers_own_annotator_change_the_answer(page):
    """Without coreference of the names, nobody knows who went to the office."""
    page.selectbox(key="annotator").set_value("none").run()
    (caption,) = [one.value for one in page.caption if "own annotator" in one.value]
    given = answers(page)["mine"]
    assert given != "office" and caption == (
        "The reader's own annotator gives **office**. It links milk :gray[1] – milk :gray[?], Zelda :gray[1] – Zelda "
        ":gray[3], which this annotator does not."
    )
    page.selectbox(key="annotator").set_value("exact_match_coref").run()
    assert not [one for one in page.caption if "own annotator" in one.value]


def test_words_that_look_like_markup_are_shown_as_they_are(archive):
    page = open_page({"mine": archive}, passage="*Mary* left <b>. *Mary* left $x$ .", question=QUESTION)
    click_words(page, 0, 1, 2)
    press(page, "Add")
    assert clusters(page) == [["Mary1", "Mary2"], [r"\* Mary \*1"]] and not page.exception


def test_adjacent_words_are_one_mention_and_others_are_several(archive):
    page = open_page(
        {"mine": archive}, passage="The old man and the old dog slept. The dog woke.", question="Who?"
    )
    page.selectbox(key="annotator").set_value("none").run()
    click_words(page, 0, 1, 2, 4, 5, 6, 9, 10)
    press(page, "Add")
    assert json.loads(page.code[0].value)["clusters"] == [[[0, 3], [4, 7], [9, 11]]]


def test_equal_words_of_a_sentence_can_be_told_apart(archive):
    page = open_page({"mine": archive}, passage="Mary saw Mary and Mary.", question=QUESTION)
    edit(page, "Drop", (0, (2, 3)))
    assert json.loads(page.code[0].value)["clusters"] == [[[0, 1], [4, 5]]]


def test_the_first_page_shows_what_coreference_is_good_for():
    page = open_page(BUNDLED)
    assert answers(page) == {r"C\-GRU": "garden", "GRU": "bathroom"}
    assert ["Mary1", "She3"] in clusters(page)


def test_without_a_reader_texts_are_annotated():
    page = open_page({}, passage="Mary left. She was tired.")
    assert clusters(page) == [["Mary1", "She2"]]
    edit(page, "Split off", (0, (0, 1)))
    assert clusters(page) == [["She2"], ["Mary1"]]
    assert not page.metric and not page.exception


@pytest.mark.parametrize("present", [[], ["fastcoref"]])
def test_annotators_that_are_not_installed_are_not_offered(monkeypatch, present):
    monkeypatch.setattr("allennlp_coref_rc.playground._screen.is_installed", present.__contains__)
    page = open_page({})
    offered = set(page.selectbox(key="annotator").options) & {"fastcoref", "coreferee", "maverick"}
    assert offered == set(present)


@pytest.mark.parametrize(
    "config, found",
    [
        ('{"type": "subprocess.Popen", "args": ["true"]}', "subprocess.Popen"),
        ("os.getcwd", "os.getcwd"),
        (
            '{"type": "compose", "annotators": [{"type": "subprocess.Popen", "args": "true"}]}',
            "subprocess.Popen",
        ),
        ('{"type": "spacy_pipeline", "spacy_model": "./mine"}', "spacy_model"),
        ('{"type": importstr "FILE"}', "JSON"),
        ("FILE", "mine.jsonnet"),
    ],
)
def test_a_config_on_the_page_runs_no_code(tmp_path, config, found):
    file = tmp_path / "mine.jsonnet"
    file.write_text('{"type": "sieve_coref"}')
    page = open_page({}, passage="Mary left.", annotator=CONFIG, config=config.replace("FILE", str(file)))
    (error,) = page.error
    assert found in error.value.replace("\\", "")


def test_with_trust_a_config_is_what_coref_rc_annotate_takes(tmp_path):
    config = tmp_path / "annotator.jsonnet"
    config.write_text("local n = 1; {type: 'exact_match_coref', max_clusters: n}")
    page = open_page(
        {}, True, passage="Mary left. Mary and Paul ate. Paul slept.", annotator=CONFIG, config=str(config)
    )
    assert clusters(page) == [["Mary1", "Mary2"]] and not page.error


def test_an_archive_that_is_gone_is_a_sentence(tmp_path):
    page = open_page({"lost": str(tmp_path / "model.tar.gz")})
    (error,) = page.error
    assert "no such archive" in error.value
