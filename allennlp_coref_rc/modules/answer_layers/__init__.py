"""How a reader turns passage and question into an answer."""

from allennlp_coref_rc.modules.answer_layers.answer_layer import AnswerLayer, AnswerOutput
from allennlp_coref_rc.modules.answer_layers.attention_sum import AttentionSum
from allennlp_coref_rc.modules.answer_layers.gated_selection import GatedSelection
from allennlp_coref_rc.modules.answer_layers.selection import Selection
