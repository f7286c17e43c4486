from allennlp_coref_rc.data import dataset_readers, fields, token_indexers, tokenizers
