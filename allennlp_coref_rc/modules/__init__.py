from allennlp_coref_rc.modules import answer_layers, initializers, seq2seq_encoders
