"""The one recurrence behind GRU, C-GRU and MAGE-GRU: a GRU that reads earlier states along weighted edges."""

from allennlp_coref_rc.modules.recurrence.recurrence import BACKENDS, NO_SOURCE, Edges, recurrence, sequential_sources
