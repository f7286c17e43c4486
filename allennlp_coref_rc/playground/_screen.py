"""The page of the playground, in Streamlit."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Optional
from urllib.parse import urlencode

import streamlit as st

from allennlp_coref_rc.annotations.annotators.optional_package import is_installed
from allennlp_coref_rc.api import Answer
from allennlp_coref_rc.common.error_message import user_message
from allennlp_coref_rc.pages.marked_text import joined
from allennlp_coref_rc.pages.stories import shown_candidates
from allennlp_coref_rc.playground._editor import (
    CLUSTERS,
    RESTORED,
    Editing,
    current_editing,
    labels,
    show_clusters,
    show_edits,
)
from allennlp_coref_rc.playground._loading import (
    answer_of,
    beliefs_of,
    load_annotator,
    load_reader,
    plain,
    show_user_errors,
)
from allennlp_coref_rc.playground.charts import belief_chart, note_on_sum, probability_chart
from allennlp_coref_rc.playground.examples import examples
from allennlp_coref_rc.playground.reader_session import (
    NoAnnotator,
    Question,
    ReaderSession,
    Reading,
    annotated,
    split_candidates,
    transferred,
    unlinked,
)

ITS_OWN, NONE, CONFIG = "the reader's own", "none", "another: its config"

ANNOTATORS = ("sieve_coref", "coref", "exact_match_coref", "entity_marker_coref")
"""The annotators of clusters that need no config."""

OPTIONAL = ("fastcoref", "coreferee", "maverick")
"""More of them. Each needs the package of its name, as `coref-rc environment` says."""

OWN_TEXT = "your own"
"""The choice in the list of examples that stands for any other text."""

FIELDS = ("passage", "question", "candidates")
"""The keys of the texts that an example has."""

KEPT = (*FIELDS, "readers", "annotator", "config", CLUSTERS)
"""The keys of what the user enters. They are also those of the page's address, so that a reload keeps it."""

LONGEST_ADDRESS = 20_000
"""The most characters of the address. Servers refuse one of 64 KiB."""

STYLE = """
<style>
.stApp:has(.st-key-asked [data-testid=InputInstructions]:not(:empty)) .st-key-results { opacity: 0.35; }
.st-key-columns > * > [data-testid=stHorizontalBlock] { flex-direction: row-reverse; }
</style>
"""
"""
The old answer is dimmed while the text is edited. It is beside the clusters, or above them on a narrow page.
"""

SHORT = 20
"""The most characters of an answer that is shown in large letters."""

LINKS = 3
"""The most clusters that are named."""

LONG = 20
"""If a passage has more sentences than this, beliefs are computed only when the user asks for them."""


@dataclass
class Asked:
    """A reader, the question as the reader sees it with the clusters of the page, and the answer."""

    name: str
    reader: ReaderSession
    reading: Reading
    answer: Answer


def show(archives: dict[str, str], trust: bool = False) -> None:
    """Shows the page. `archives` are trained readers by name."""
    with kept_in_address(list(archives)):
        show_page(archives, trust)


@contextmanager
def kept_in_address(readers: Sequence[str]) -> Iterator[None]:
    """Begins with what the address of the page holds. In the end, it holds what the user has entered."""
    if "passage" not in st.session_state and "passage" in st.query_params:
        kept = {key: value for key, value in st.query_params.to_dict().items() if key in KEPT}
        chosen = [name for name in st.query_params.get_all("readers") if name in readers]
        st.session_state.update({**kept, "readers": chosen[:2] or list(readers[:2])})
        st.session_state[RESTORED] = kept.get(CLUSTERS)
    st.session_state[CLUSTERS] = ""
    try:
        yield
    finally:
        values = {key: st.session_state[key] for key in KEPT if st.session_state.get(key)}
        values = values if len(urlencode(values, doseq=True)) <= LONGEST_ADDRESS else {}
        given = st.query_params
        if values != {key: given.get_all(key) if key == "readers" else given[key] for key in given}:
            given.from_dict(values)


def show_page(archives: dict[str, str], trust: bool) -> None:
    with st.sidebar:
        st.title("Ask a reader" if archives else "Annotate a text", anchor=False)
        choose_example()
        names = choose_readers(list(archives))
        annotator_config = choose_annotator(bool(names))
    with show_user_errors():
        readers = {name: load_reader(archives[name], trust) for name in names}
    st.html(STYLE)
    with st.container(key="asked"):
        question = ask(bool(readers), any(not reader.answers_are_spans for reader in readers.values()))
    if not question.passage.strip() or (names and not question.question.strip()):
        st.info(
            "Type a question about the text."
            if question.passage.strip()
            else "Type a text, or choose an example."
        )
        return
    with st.container(key="results"):
        show_results(question, readers, annotator_config, archives, trust)


def show_results(
    question: Question,
    readers: dict[str, ReaderSession],
    annotator_config: Optional[str],
    archives: dict[str, str],
    trust: bool,
) -> None:
    """Shows the clusters, which the user can edit, and the readers' answers."""
    with show_user_errors():
        annotator = None if annotator_config is None else load_annotator(annotator_config, trust)
        first = next(iter(readers.values()), None)
        origin = list(readers)[:1], first and first.key, question, annotator_config

        def read() -> Reading:
            return (
                first.read(question, annotator)
                if first
                else annotated(question.passage, annotator or NoAnnotator())
            )

        editing = current_editing(origin, read)
    reading = editing.reading
    if not readers:
        show_clusters(reading)
        show_edits(editing, reading)
        return
    with st.container(key="columns"):
        right, left = st.columns([2, 3] if len(readers) == 1 else 2, gap="large")
    with right:
        asked = show_answers(question, readers, editing, is_own=annotator is None)
    with left:
        show_clusters(reading, asked[0].answer if asked else None)
        show_edits(editing, reading)
    show_beliefs(question, asked)
    show_requests(question, asked, archives)


def choose_readers(names: list[str]) -> list[str]:
    """Lets the user choose the one or two readers that are asked, and returns their names."""
    if len(names) == 1:
        st.caption("Reader")
        st.markdown(f"**{plain(names[0])}**")
        return names
    st.session_state.setdefault("readers", names[:2])
    return st.multiselect("Readers, one or two", names, max_selections=2, key="readers")


def choose_annotator(has_reader: bool) -> Optional[str]:
    """Lets the user choose an annotator: its name or config, "" for none, `None` for the reader's own."""
    installed = [name for name in OPTIONAL if is_installed(name)]
    options = [*([ITS_OWN] if has_reader else []), *ANNOTATORS, *installed, NONE, CONFIG]
    if st.session_state.get("annotator") not in options:
        st.session_state["annotator"] = options[0]
    chosen = st.selectbox("Annotator of clusters", options, key="annotator")
    if chosen != CONFIG:
        return {ITS_OWN: None, NONE: ""}.get(chosen, chosen)
    st.session_state.setdefault("config", '{"type": "sieve_coref"}')
    return st.text_area("Config", key="config", help="JSON, as coref-rc annotate takes it").strip()


def ask(has_reader: bool, has_candidates: bool) -> Question:
    """Lets the user ask a question. If a reader chooses among candidates, the user may give them too."""
    question = candidates = ""
    passage = st.text_area("Passage", key="passage", height=140)
    if has_reader:
        left, right = st.columns([3, 2]) if has_candidates else (st, st)
        question = left.text_input("Question", key="question")
        if has_candidates:
            candidates = right.text_input(
                "Candidates",
                key="candidates",
                placeholder="the reader's own",
                help="Possible answers, with commas or semicolons between them",
            )
    st.button("Ask" if has_reader else "Annotate", type="primary", help="Or press Ctrl+Enter in the passage")
    return Question(passage, question, split_candidates(candidates))


def choose_example() -> None:
    """Lets the user choose an example. If the passage is that of none, the list says so."""
    texts = {**examples(), OWN_TEXT: Question("", "")}
    if "passage" not in st.session_state:
        take(next(iter(texts.values())))
    passage = st.session_state["passage"]
    st.session_state["example"] = next((name for name in texts if texts[name].passage == passage), OWN_TEXT)
    st.selectbox(
        "Example", list(texts), key="example", on_change=lambda: take(texts[st.session_state["example"]])
    )


def take(question: Question) -> None:
    values = question.passage, question.question, "; ".join(question.candidates)
    st.session_state.update(zip(FIELDS, values))


def show_answers(
    question: Question, readers: dict[str, ReaderSession], editing: Editing, is_own: bool
) -> list[Asked]:
    """
    Shows each reader's answer with its probabilities. The edited clusters are those of the first reader. If
    the annotator is not the reader's own, and changes the answer, says by which clusters.
    """
    st.subheader("Answer", anchor=False)
    asked: list[Asked] = []
    first = next(iter(readers.values()))
    for name, reader, place in zip(readers, readers.values(), st.columns(len(readers))):
        with place:
            try:
                found = editing.read if reader is first and is_own else reader.read(question)
                before, own = (
                    found.with_clusters(transferred(source, found))
                    for source in (editing.read, editing.reading)
                )
                answer, unedited, usual = (
                    answer_of(key_of(reader, question, one), reader, question, one)
                    for one in (own, before, found)
                )
            except Exception as error:
                if (message := user_message(error)) is None:
                    raise
                st.error(f"{plain(name)}: {plain(message)}")
                continue
            asked.append(Asked(name, reader, own, answer))
            show_answer(name, answer, unedited)
            if is_own or usual.answer == unedited.answer:
                continue
            links = [" – ".join(labels(found, cluster).values()) for cluster in unlinked(found, before)]
            st.caption(
                f"The reader's own annotator gives **{plain(text_of(usual))}**. "
                + f"It links {', '.join(links[:LINKS])}, which this annotator does not." * bool(links)
            )
    return asked


def show_answer(name: str, answer: Answer, unedited: Answer) -> None:
    text = text_of(answer)
    if len(text) <= SHORT:
        st.metric(plain(name), text)
    else:
        st.markdown(f":small[{plain(name)}]  \n**{plain(text)}**")
    if answer.candidates:
        st.vega_lite_chart(spec=probability_chart(answer.candidates), key=f"bars_{name}")
        if note := note_on_sum(answer.candidates, answer.output.get("note", "")):
            st.caption(note)
    elif answer.probability is not None:
        st.caption(f"Its probability is {answer.probability:.3f}.")
    if unedited.answer != answer.answer:
        st.caption(f"The annotator's clusters give **{plain(text_of(unedited))}**.")
    for warning in answer.warnings:
        st.warning(plain(warning))


def text_of(answer: Answer) -> str:
    return "no answer" if answer.answer is None else answer.answer


def show_beliefs(question: Question, asked: list[Asked]) -> None:
    """
    Shows what each reader believes after each sentence: a heat map of the candidates, or a table of answers.
    """
    if not asked:
        return
    st.subheader("Belief after each sentence", anchor=False)
    number = len(asked[0].reading.sentences)
    if not st.toggle(
        f"Read the first sentence, the first two, and so on ({number})",
        number <= LONG,
        key=f"beliefs_{number <= LONG}",
    ):
        return
    for one, place in zip(asked, st.columns(len(asked))):
        with place, show_user_errors():
            beliefs = beliefs_of(key_of(one.reader, question, one.reading), one.reader, question, one.reading)
            sentences = joined(one.reading.text.tokens, *one.reading.sentences)
            distributions = [belief.candidates if belief else {} for belief in beliefs]
            if any(distributions):
                st.caption(
                    f"{plain(one.name)}: the stronger the colour, the more probable; point at a cell to see the number"
                )
                candidates = shown_candidates([distributions], str(one.answer.answer))
                st.vega_lite_chart(
                    spec=belief_chart(sentences, distributions, candidates), key=f"beliefs_{one.name}"
                )
            else:
                st.caption(plain(one.name))
                answers = [text_of(belief) if belief else "" for belief in beliefs]
                st.table({"sentence": list(map(plain, sentences)), "answer": list(map(plain, answers))})


def show_requests(question: Question, asked: list[Asked], archives: dict[str, str]) -> None:
    with st.expander("The request as JSON, for coref-rc predict"):
        for one in asked:
            request = json.dumps(one.reader.request(question, one.reading.clusters), ensure_ascii=False)
            if len(asked) > 1:
                st.caption(plain(one.name))
            st.code(request, language="json", wrap_lines=True)
            st.download_button(
                "Save as request.jsonl", request + "\n", "request.jsonl", key=f"save_{one.name}"
            )
            st.code(f"coref-rc predict {archives[one.name]} request.jsonl", language="bash")


def key_of(reader: ReaderSession, question: Question, reading: Reading) -> str:
    """A text that is different for each reader and each request."""
    return json.dumps([reader.key, reader.request(question, reading.clusters)])
