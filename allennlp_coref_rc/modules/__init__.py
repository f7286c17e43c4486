from allennlp_coref_rc.modules import (
    answer_layers,
    gating,
    initializers,
    seq2seq_encoders,
    seq2vec_encoders,
    token_embedders,
)
