from allennlp_coref_rc.metrics.answer_accuracy import AnswerAccuracy
from allennlp_coref_rc.metrics.narrativeqa import NarrativeQaMetric
from allennlp_coref_rc.metrics.overlap import bleu, bleu_counts, rouge_l
from allennlp_coref_rc.metrics.ptb_tokens import ptb_tokens
