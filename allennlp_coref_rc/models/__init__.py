from allennlp_coref_rc.models.ga_reader import GAReader
