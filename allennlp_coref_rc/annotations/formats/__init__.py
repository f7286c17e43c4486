"""Files of other tools and corpora as annotated texts."""

from allennlp_coref_rc.annotations.formats.conll_2012 import read_conll_2012
