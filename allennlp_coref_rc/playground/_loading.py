"""
Keeps readers, annotators and answers when the page is drawn again, and shows errors that the user can fix.
"""

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Optional

import streamlit as st

from allennlp_coref_rc.annotation_runs.config_option import build_annotator
from allennlp_coref_rc.annotations.annotators import Annotator
from allennlp_coref_rc.api import Answer
from allennlp_coref_rc.common.error_message import user_message
from allennlp_coref_rc.common.json_objects import parse_json
from allennlp_coref_rc.playground.reader_session import (
    CachedAnnotator,
    NoAnnotator,
    Question,
    ReaderSession,
    Reading,
)
from allennlp_coref_rc.safe_archives.archived_config import check_object_config
from allennlp_coref_rc.safe_archives.archives import trusting
from allennlp_coref_rc.safe_archives.registered_names import only_registered

KEPT = 200
"""The number of answers that are kept."""


@contextmanager
def show_user_errors() -> Iterator[None]:
    """Within this, an error that the user can fix is shown as a sentence, and the page ends there."""
    try:
        yield
    except Exception as error:
        message = user_message(error)
        if message is None:
            raise
        st.error(plain(message))
        st.stop()


def plain(text: str) -> str:
    """A text with its Markdown escaped, so that Streamlit shows it as it is."""
    return re.sub(r"([\\`*_{}\[\]()<>#+\-.!|~$:])", r"\\\1", text)


def load_reader(archive: str, trust: bool) -> ReaderSession:
    """A trained reader. It is loaded again if its file has changed."""
    return _reader(archive, trust, os.path.getmtime(archive) if os.path.exists(archive) else 0.0)


@st.cache_resource(show_spinner="Loading the reader …", max_entries=8)
def _reader(archive: str, trust: bool, changed: float) -> ReaderSession:
    return ReaderSession(archive, trust)


@st.cache_resource(show_spinner="Loading the annotator …", max_entries=8)
def load_annotator(config: str, trust: bool) -> Annotator:
    """The annotator of a registered name or a config. The empty name stands for one that finds nothing."""
    if not config:
        return NoAnnotator()
    with trusting(trust):
        annotator = build_annotator("annotator", config) if trust else registered_annotator(config)
    return CachedAnnotator(annotator, trust)


def registered_annotator(config: str) -> Annotator:
    """
    The annotator of a registered name, or of a config in plain JSON that follows the rules for archives.
    """
    value = parse_json(config) if config.startswith("{") else {"type": config}
    check_object_config("the page", "annotator", value)
    with only_registered("the page"):
        return build_annotator("annotator", json.dumps(value))


@st.cache_data(show_spinner=False, max_entries=KEPT)
def answer_of(key: str, _reader: ReaderSession, _question: Question, _reading: Reading) -> Answer:
    """A reader's answer. Answers are remembered by `key`, which `_screen.key_of` makes."""
    return _reader.answer(_question, _reading.clusters)


@st.cache_data(show_spinner="Reading sentence by sentence …", max_entries=KEPT)
def beliefs_of(
    key: str, _reader: ReaderSession, _question: Question, _reading: Reading
) -> list[Optional[Answer]]:
    """A reader's answers after each sentence. They are remembered by `key`, as those of `answer_of`."""
    return _reader.beliefs(_question, _reading)
