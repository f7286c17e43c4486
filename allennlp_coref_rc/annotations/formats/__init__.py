"""Readers for files of other tools and corpora, which give annotated texts."""

import glob
import logging
import os
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple, Union

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText
from allennlp_coref_rc.annotations.document import read_lines
from allennlp_coref_rc.annotations.formats.brat import read_brat
from allennlp_coref_rc.annotations.formats.conll_2012 import read_conll_2012
from allennlp_coref_rc.annotations.formats.conll_2016 import read_conll_2016
from allennlp_coref_rc.annotations.formats.conllu import read_conllu
from allennlp_coref_rc.annotations.formats.corenlp import read_corenlp
from allennlp_coref_rc.annotations.formats.dassa import (
    annotated_text_from_dassa,
    document_from_dassa,
    read_dassa,
)
from allennlp_coref_rc.annotations.formats.e2e_coref import read_e2e_coref
from allennlp_coref_rc.annotations.formats.gap import read_gap
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.malformed import LeaveOut, refuse, with_errors
from allennlp_coref_rc.common.messages import counted

logger = logging.getLogger(__name__)


class Format(NamedTuple):
    """
    The function that reads a file and says what it leaves out, and the pattern of such files in a folder.
    """

    read: Callable[[str, LeaveOut], Iterator[AnnotatedText]]
    files: str

    def list_files(self, path: str) -> list[str]:
        """
        The file of a path; or the files of a pattern, or of this format in a folder, in order of their names.
        A warning tells of files in the folder's own folders, which may be other parts of a corpus.
        """
        if os.path.isfile(path) or not os.path.isdir(path) and not glob.has_magic(path):
            return [path]
        pattern = path
        if os.path.isdir(path):
            pattern = os.path.join(glob.escape(path), self.files)
            all_files = os.path.join(glob.escape(path), "**", self.files)
            deeper = len(glob.glob(all_files, recursive=True)) - len(glob.glob(pattern))
            if deeper:
                left_out = counted(deeper, "file")
                logger.warning("%s: %s in its folders left out; '%s' has them too", path, left_out, all_files)
        files = sorted(filter(os.path.isfile, glob.glob(pattern, recursive=True)))
        if not files:
            raise ConfigurationError(f"{path}: found no files like {os.path.basename(pattern)}")
        return files

    def items(self, path: str) -> Iterator[Union[AnnotatedText, ConfigurationError]]:
        """
        The texts of the files that `list_files` lists, and the errors of malformed annotations, documents and
        files, which are left out. Raises the first error if there is no text, or if a file is damaged after
        its first text. A warning tells of a text that two files have, as a folder may have gold and other
        annotations.
        """
        found, errors = 0, []
        files: dict[str, str] = {}
        repeated = False
        for file in self.list_files(path):
            before = found
            try:
                for item in with_errors(partial(self.read, file)):
                    if isinstance(item, ConfigurationError):
                        errors.append(item)
                    else:
                        found += 1
                        # Texts without an id have the file's name and their number.
                        own = item.id is not None and item.id.rpartition(":")[0] != os.path.basename(file)
                        first = files.setdefault(str(item.id), file) if own else file
                        if first != file and not repeated:
                            repeated = True
                            logger.warning("%s: found the text %r, which %s has too", file, item.id, first)
                    yield item
            except ConfigurationError as error:
                if found > before:
                    raise
                errors.append(error)
                yield error
        if errors and not found:
            raise errors[0]

    def read_all(self, path: str) -> Iterator[AnnotatedText]:
        """The texts among `items`. A warning counts the errors, and shows the first one."""
        errors = []
        for item in self.items(path):
            if isinstance(item, ConfigurationError):
                errors.append(item)
            else:
                yield item
        if errors:
            logger.warning(
                "%s: %s left out; the first: %s", path, counted(len(errors), "malformed part"), errors[0]
            )


def read_annotated(path: str, leave_out: LeaveOut = refuse) -> Iterator[AnnotatedText]:
    """The texts of a file that `write_documents` or `coref-rc annotate` has written."""
    for _, document in read_lines(path):
        if isinstance(document, ConfigurationError):
            leave_out(document)
        else:
            yield document.text


FORMATS: dict[str, Format] = {
    "annotated": Format(read_annotated, "*.jsonl*"),
    "brat": Format(read_brat, "*.ann*"),
    "conll_2012": Format(read_conll_2012, "*conll*"),
    "conll_2016": Format(read_conll_2016, "*relations*.json*"),
    "conllu": Format(read_conllu, "*.conllu*"),
    "corenlp": Format(read_corenlp, "*.json*"),
    "dassa": Format(read_dassa, "*.jsonl*"),
    "e2e_coref": Format(read_e2e_coref, "*.json*"),
    "gap": Format(read_gap, "*.tsv*"),
}
"""Formats by the names that the annotator `precomputed` takes."""
