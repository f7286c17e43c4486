"""The one recurrence behind GRU, C-GRU and MAGE-GRU: a GRU that reads earlier states along weighted edges."""

from allennlp_coref_rc.modules.recurrence.dispatch import BACKENDS, edge_sources, recurrence
from allennlp_coref_rc.modules.recurrence.edges import NO_SOURCE, Edges, joined, sequential_sources
from allennlp_coref_rc.modules.recurrence.recurrence_input import RecurrenceInput, joint_products
