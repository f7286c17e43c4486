"""The part of the page that shows the clusters and lets the user edit them."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Optional

import streamlit as st

from allennlp_coref_rc.annotations import clusters_from_json
from allennlp_coref_rc.annotations.annotated_text import Cluster, Span
from allennlp_coref_rc.annotations.tokenization import spans_of
from allennlp_coref_rc.api import Answer
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.messages import cut
from allennlp_coref_rc.pages.annotated_text import entities, html_fragment
from allennlp_coref_rc.pages.marked_text import joined
from allennlp_coref_rc.playground import cluster_edits
from allennlp_coref_rc.playground._loading import plain
from allennlp_coref_rc.playground.cluster_edits import Clusters, Mention
from allennlp_coref_rc.playground.reader_session import Reading

MANY = 12
"""If there are more clusters than this, they scroll."""

FEW = 5
"""If there are more sentences than this, the words that can be clicked scroll."""

CLUSTERS, RESTORED = "clusters", "restored"
"""Where the session has the edited clusters in JSON, if they are, and those that a reload has to restore."""

LONGEST = 40
"""The most characters of a mention that are shown."""

Edit = Callable[[Clusters], Clusters]


@dataclass
class Editing:
    """The clusters of a question and all edits of them."""

    origin: Any
    """The reader, the question and the annotator. If one of them changes, editing starts over."""
    read: Reading
    """The question with the annotator's clusters."""
    history: list[list[Cluster]]
    edits: int = 0
    """
    The number of edits, with those undone. It is in the keys of the widgets, so each edit resets what was
    chosen.
    """

    @property
    def clusters(self) -> list[Cluster]:
        return self.history[-1]

    @property
    def reading(self) -> Reading:
        return self.read.with_clusters(self.clusters)

    def apply(self, edit: Edit) -> None:
        self.history.append(edit(self.clusters))
        self.edits += 1

    def undo(self, everything: bool = False) -> None:
        del self.history[1 if everything else max(1, len(self.history) - 1) :]
        self.edits += 1


def current_editing(origin: Any, read: Callable[[], Reading]) -> Editing:
    """The edits of this question so far. If the origin has changed, there are none, of what `read` gives."""
    editing: Optional[Editing] = st.session_state.get("editing")
    if editing is None or editing.origin != origin:
        reading = read()
        edits = editing.edits + 1 if editing else 0
        history = [reading.clusters, *restored(reading)]
        editing = st.session_state["editing"] = Editing(origin, reading, history, edits)
    st.session_state[CLUSTERS] = json.dumps(editing.clusters) if len(editing.history) > 1 else ""
    return editing


def restored(reading: Reading) -> list[list[Cluster]]:
    """The edited clusters of the page's address when it is opened, if they are some of this text."""
    try:
        clusters = clusters_from_json(json.loads(st.session_state.pop(RESTORED, None) or ""))
        return [replace(reading.text, clusters=clusters).checked().clusters]
    except (ValueError, ConfigurationError):
        return []


def show_clusters(reading: Reading, answer: Optional[Answer] = None) -> None:
    """The passage and the question with coloured mentions."""
    st.subheader("Clusters", anchor=False)
    passage, question = reading.shown()
    framed = (answer.spans or answer.answer) if answer else None
    st.html(html_fragment(passage, answer=framed, show_entities=False))
    if question.tokens:
        st.html(html_fragment(question, show_entities=False))


def show_edits(editing: Editing, reading: Reading) -> None:
    """
    Shows each cluster's mentions, which the user can choose, and buttons for what can be done with them.
    """
    chosen: list[Mention] = []
    with st.container(height=420 if len(editing.clusters) > MANY else "content"):
        places = st.columns(2) if len(editing.clusters) > 1 else [st.container()]
        for i, (entity, cluster) in enumerate(zip(entities(reading.text), editing.clusters)):
            with places[i % len(places)]:
                spans = st.pills(
                    f"**{entity.number}** {plain(cut(entity.name, LONGEST))}",
                    cluster,
                    format_func=labels(reading, cluster).__getitem__,
                    selection_mode="multi",
                    wrap=True,
                    key=f"mentions_{editing.edits}_{i}",
                )
            chosen += [Mention(i, span) for span in spans]
    if not editing.clusters:
        st.caption("There are no clusters here. You can add mentions.")
    indices = {mention.cluster for mention in chosen}
    with st.container(horizontal=True):
        button(editing, "Merge", lambda old: cluster_edits.merge(old, indices), len(indices) > 1)
        button(editing, "Split off", lambda old: cluster_edits.split(old, chosen), bool(chosen))
        button(editing, "Drop", lambda old: cluster_edits.drop(old, chosen), bool(chosen))
        with st.popover("Add …"):
            show_adding(editing, reading)
        st.button("Undo", on_click=editing.undo, disabled=len(editing.history) < 2)
        st.button("Start over", on_click=editing.undo, args=(True,), disabled=len(editing.history) < 2)
    st.caption(
        "Choose mentions, then merge their clusters, split the mentions off as a cluster of their own, or drop them. "
        "The number beside a mention is that of its sentence; ? is the question."
    )


HELP = {
    "Merge": "Makes one cluster of the clusters of the chosen mentions",
    "Split off": "Makes a cluster of their own of the chosen mentions",
    "Drop": "Takes the chosen mentions out of their clusters",
}


def button(editing: Editing, name: str, edit: Edit, enabled: bool) -> None:
    st.button(
        name,
        help=HELP.get(name),
        on_click=editing.apply,
        args=(edit,),
        disabled=not enabled,
        key=f"do_{name}",
    )


def show_adding(editing: Editing, reading: Reading) -> None:
    """
    Lets the user click words of the text and choose a cluster, and adds mentions. Adjacent words are one
    mention.
    """
    names = [entity.name for entity in entities(reading.text)]
    sentences = [span for span in [*reading.sentences, reading.parts()[1]] if span[0] < span[1]]
    spans: list[Span] = []
    with st.container(height=300 if len(sentences) > FEW else "content"):
        for start, stop in sentences:
            spans += spans_of(
                st.pills(
                    "Words of the text",
                    range(start, stop),
                    format_func=word_labels(reading.text.tokens, start, stop).__getitem__,
                    selection_mode="multi",
                    wrap=True,
                    label_visibility="collapsed",
                    key=f"words_{editing.edits}_{start}",
                )
            )
    index = st.selectbox(
        "To the cluster",
        [None, *range(len(names))],
        format_func=lambda i: "a new one" if i is None else f"{i + 1} {cut(names[i], LONGEST)}",
        key=f"cluster_{editing.edits}",
    )
    button(editing, "Add", lambda old: cluster_edits.add(old, spans, index), bool(spans))


def word_labels(tokens: Sequence[str], start: int, stop: int) -> dict[int, str]:
    """
    A label for each token of a sentence. Streamlit needs different ones: equal words end in blanks of no
    width.
    """
    return {i: plain(tokens[i]) + "\u200b" * tokens[start:i].count(tokens[i]) for i in range(start, stop)}


def labels(reading: Reading, spans: Sequence[Span]) -> dict[Span, str]:
    """
    A label for each mention, with the number of its sentence. All differ, as Streamlit needs different
    labels.
    """
    ends = [stop for _, stop in reading.sentences]
    labels_of: dict[Span, str] = {}
    used: Counter = Counter()
    for span, words in zip(spans, joined(reading.text.tokens, *spans)):
        place = next((str(i) for i, stop in enumerate(ends, start=1) if span[0] < stop), "?")
        label = plain(cut(words, LONGEST)), place
        used[label] += 1
        labels_of[span] = f"{label[0]} :gray[{place}{'′' * (used[label] - 1)}]"
    return labels_of
