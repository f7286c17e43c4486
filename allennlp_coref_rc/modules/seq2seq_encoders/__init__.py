from allennlp_coref_rc.modules.seq2seq_encoders.annotated_seq2seq_encoder import (
    AnnotatedSeq2SeqEncoder,
    encode,
    encode_pair,
    gather_sources,
)
from allennlp_coref_rc.modules.seq2seq_encoders.coref_gru import CorefGRU
from allennlp_coref_rc.modules.seq2seq_encoders.dassa import DASSA
from allennlp_coref_rc.modules.seq2seq_encoders.mage_gru import MageGRU
from allennlp_coref_rc.modules.seq2seq_encoders.recurrent_encoder import RecurrentEncoder
