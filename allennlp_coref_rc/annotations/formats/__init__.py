"""Files of other tools and corpora as annotated texts."""

from typing import Callable, Dict, Iterator, NamedTuple

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText
from allennlp_coref_rc.annotations.formats.annotated import read_annotated
from allennlp_coref_rc.annotations.formats.brat import read_brat
from allennlp_coref_rc.annotations.formats.conll_2012 import read_conll_2012
from allennlp_coref_rc.annotations.formats.conll_2016 import read_conll_2016
from allennlp_coref_rc.annotations.formats.corenlp import read_corenlp
from allennlp_coref_rc.annotations.formats.dassa import annotated_text_from_dassa, read_dassa


class Format(NamedTuple):
    """How a file is read, and which of the files in a folder are of this format."""

    read: Callable[[str], Iterator[AnnotatedText]]
    files: str


FORMATS: Dict[str, Format] = {
    "annotated": Format(read_annotated, "*.jsonl*"),
    "brat": Format(read_brat, "*.ann*"),
    "conll_2012": Format(read_conll_2012, "*conll*"),
    "conll_2016": Format(read_conll_2016, "*relations*.json*"),
    "corenlp": Format(read_corenlp, "*.json*"),
    "dassa": Format(read_dassa, "*.jsonl*"),
}
"""By the names that the annotator `precomputed` knows them by."""
