"""How passage and question filter each other between the layers of a reader."""

from allennlp_coref_rc.modules.gating.collaborative_gating import CollaborativeGating
from allennlp_coref_rc.modules.gating.gated_attention import GatedAttention
from allennlp_coref_rc.modules.gating.gating import Gating
