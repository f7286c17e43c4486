"""Python in three lines: annotates texts, loads readers and asks them, and gives the results as values."""

from allennlp_coref_rc.api.answer import Answer
from allennlp_coref_rc.api.load import Reader
from allennlp_coref_rc.api.passage import Passage
