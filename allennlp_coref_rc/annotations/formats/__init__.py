"""Readers for files of other tools and corpora, which give annotated texts."""

import glob
import os
from collections.abc import Callable, Iterator
from typing import NamedTuple

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText
from allennlp_coref_rc.annotations.document import read_documents
from allennlp_coref_rc.annotations.formats.brat import read_brat
from allennlp_coref_rc.annotations.formats.conll_2012 import read_conll_2012
from allennlp_coref_rc.annotations.formats.conll_2016 import read_conll_2016
from allennlp_coref_rc.annotations.formats.conllu import read_conllu
from allennlp_coref_rc.annotations.formats.corenlp import read_corenlp
from allennlp_coref_rc.annotations.formats.dassa import annotated_text_from_dassa, read_dassa
from allennlp_coref_rc.annotations.formats.gap import read_gap
from allennlp_coref_rc.common.errors import ConfigurationError


class Format(NamedTuple):
    """The function that reads a file, and the pattern of such files in a folder."""

    read: Callable[[str], Iterator[AnnotatedText]]
    files: str

    def list_files(self, path: str) -> list[str]:
        """The file of a path; or the files of a pattern, or of this format in a folder, in order of their names."""
        if not os.path.isdir(path) and not glob.has_magic(path):
            return [path]
        pattern = os.path.join(glob.escape(path), self.files) if os.path.isdir(path) else path
        files = sorted(glob.glob(pattern))
        if not files:
            raise ConfigurationError(f"{path}: found no files like {os.path.basename(pattern)}")
        return files

    def read_all(self, path: str) -> Iterator[AnnotatedText]:
        """The texts of the files that `list_files` lists."""
        for file in self.list_files(path):
            yield from self.read(file)


def read_annotated(path: str) -> Iterator[AnnotatedText]:
    """The texts of a file that `write_documents` or `coref-rc annotate` has written."""
    return (document.text for _, document in read_documents(path))


FORMATS: dict[str, Format] = {
    "annotated": Format(read_annotated, "*.jsonl*"),
    "brat": Format(read_brat, "*.ann*"),
    "conll_2012": Format(read_conll_2012, "*conll*"),
    "conll_2016": Format(read_conll_2016, "*relations*.json*"),
    "conllu": Format(read_conllu, "*.conllu*"),
    "corenlp": Format(read_corenlp, "*.json*"),
    "dassa": Format(read_dassa, "*.jsonl*"),
    "gap": Format(read_gap, "*.tsv*"),
}
"""Formats by the names that the annotator `precomputed` takes."""
