"""Files of other tools and corpora as annotated texts."""

from allennlp_coref_rc.annotations.formats.conll_2012 import read_conll_2012
from allennlp_coref_rc.annotations.formats.dassa import annotated_text_from_dassa, read_dassa
