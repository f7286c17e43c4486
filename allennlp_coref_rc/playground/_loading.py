"""What the page keeps between two looks at it, and how it tells what the user can mend."""

import os
import re
from contextlib import contextmanager
from typing import Iterator, List, Optional

import streamlit as st

from allennlp_coref_rc.annotation_runs.config_option import build_annotator
from allennlp_coref_rc.annotations.annotators import Annotator
from allennlp_coref_rc.common.error_message import message_of
from allennlp_coref_rc.playground.asking import NoAnnotator, Question, Reader, Reading, Remembering
from allennlp_coref_rc.reading import Answer
from allennlp_coref_rc.trust.archives import trusting

KEPT = 200
"""Answers of a page that are kept."""


@contextmanager
def told() -> Iterator[None]:
    """Shows an error that the user can mend as a sentence, and ends the page there."""
    try:
        yield
    except Exception as error:
        message = message_of(error)
        if message is None:
            raise
        st.error(plain(message))
        st.stop()


def plain(text: str) -> str:
    """A text that Streamlit shows as it is, and not as Markdown."""
    return re.sub(r"([\\`*_{}\[\]()<>#+\-.!|~$:])", r"\\\1", text)


def load_reader(archive: str, trust: bool) -> Reader:
    """A trained reader, which is loaded again when its file has changed."""
    return _reader(archive, trust, os.path.getmtime(archive) if os.path.exists(archive) else 0.0)


@st.cache_resource(show_spinner="Loading the reader …", max_entries=8)
def _reader(archive: str, trust: bool, changed: float) -> Reader:
    return Reader(archive, trust)


@st.cache_resource(show_spinner="Loading the annotator …", max_entries=8)
def load_annotator(config: str, trust: bool) -> Annotator:
    """An annotator of a name or a config; the empty name is one that finds nothing."""
    if not config:
        return NoAnnotator()
    with trusting(trust):
        annotator = build_annotator("annotator", config)
    return Remembering(annotator, trust)


@st.cache_data(show_spinner=False, max_entries=KEPT)
def answer_of(key: str, _reader: Reader, _question: Question, _reading: Reading) -> Answer:
    """What a reader answers; the key tells readers and requests apart."""
    return _reader.answer(_question, _reading.clusters)


@st.cache_data(show_spinner="Reading sentence by sentence …", max_entries=KEPT)
def beliefs_of(key: str, _reader: Reader, _question: Question, _reading: Reading) -> List[Optional[Answer]]:
    """What a reader believes after each sentence."""
    return _reader.beliefs(_question, _reading)
