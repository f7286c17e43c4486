from allennlp_coref_rc.models.structure.discourse import DiscourseHead
from allennlp_coref_rc.models.structure.encoder import StructureEncoder
from allennlp_coref_rc.models.structure.roles import RolesHead
