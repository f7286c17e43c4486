"""Files of other tools and corpora as annotated texts."""

from allennlp_coref_rc.annotations.formats.dassa import annotated_text_from_dassa, read_dassa
