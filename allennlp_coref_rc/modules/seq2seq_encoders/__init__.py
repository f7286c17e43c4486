from allennlp_coref_rc.modules.seq2seq_encoders.annotated_seq2seq_encoder import (
    AnnotatedSeq2SeqEncoder,
    encode,
    encode_pair,
    gather_sources,
)
from allennlp_coref_rc.modules.seq2seq_encoders.coref_gru import CorefGru
from allennlp_coref_rc.modules.seq2seq_encoders.dassa import Dassa
from allennlp_coref_rc.modules.seq2seq_encoders.mage_gru import MageGru
from allennlp_coref_rc.modules.seq2seq_encoders.recurrent_encoder import RecurrentEncoder
