from allennlp_coref_rc.modules.pair import Pair
from allennlp_coref_rc.modules.seq2seq_encoders import encode_pair


def encode_both(encoder, question_encoder, passage, question):
    """The vectors of a passage and of its question."""
    return [text.vectors for text in encode_pair(encoder, question_encoder, Pair(passage, question))]
