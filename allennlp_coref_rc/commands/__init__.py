from allennlp_coref_rc.commands.annotate import Annotate
