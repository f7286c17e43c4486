"""Encoders of a word's characters."""

from allennlp_coref_rc.modules.seq2vec_encoders.character_cnn import CharacterCnn
from allennlp_coref_rc.modules.seq2vec_encoders.projected_gru import ProjectedGru
