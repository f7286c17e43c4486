from allennlp_coref_rc.data import dataset_readers, fields, tokenizers
