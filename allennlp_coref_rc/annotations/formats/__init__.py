"""Readers for files of other tools and corpora, which give annotated texts."""

import glob
import os
from collections.abc import Callable, Iterator
from typing import Dict, NamedTuple

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText
from allennlp_coref_rc.annotations.formats.annotated import read_annotated
from allennlp_coref_rc.annotations.formats.brat import read_brat
from allennlp_coref_rc.annotations.formats.conll_2012 import read_conll_2012
from allennlp_coref_rc.annotations.formats.conll_2016 import read_conll_2016
from allennlp_coref_rc.annotations.formats.conllu import read_conllu
from allennlp_coref_rc.annotations.formats.corenlp import read_corenlp
from allennlp_coref_rc.annotations.formats.dassa import annotated_text_from_dassa, read_dassa
from allennlp_coref_rc.common.errors import ConfigurationError


class Format(NamedTuple):
    """The function that reads a file, and the pattern of such files in a folder."""

    read: Callable[[str], Iterator[AnnotatedText]]
    files: str

    def read_all(self, path: str) -> Iterator[AnnotatedText]:
        """The texts of a file, or of the files of this format in a folder, in order of their names."""
        files = [path]
        if os.path.isdir(path):
            files = sorted(glob.glob(os.path.join(glob.escape(path), self.files)))
        if not files:
            raise ConfigurationError(f"{path}: found no files like {self.files}")
        for file in files:
            yield from self.read(file)


FORMATS: dict[str, Format] = {
    "annotated": Format(read_annotated, "*.jsonl*"),
    "brat": Format(read_brat, "*.ann*"),
    "conll_2012": Format(read_conll_2012, "*conll*"),
    "conll_2016": Format(read_conll_2016, "*relations*.json*"),
    "conllu": Format(read_conllu, "*.conllu*"),
    "corenlp": Format(read_corenlp, "*.json*"),
    "dassa": Format(read_dassa, "*.jsonl*"),
}
"""Formats by the names that the annotator `precomputed` takes."""
