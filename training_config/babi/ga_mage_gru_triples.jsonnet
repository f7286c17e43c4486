// GA Reader with MAGE-GRU that reads triples and coreference. Not in the paper, which reads only coreference on bAbI.
// Each type has a state of its own, and so has its inverse, as in sections 3.1 and 3.2 of Dhingra et al. (2017,
// arXiv:1703.02620).
local encoders = import '../lib/encoders.libsonnet';

(import 'ga_mage_gru.jsonnet') + (import '../lib/babi_triples.libsonnet') {
  local experiment = self,
  local state_sizes = { sequential: experiment.hidden_size - 16, coref: 16 },
  encoder:: encoders.typed_mage_gru(state_sizes, self.types, 4),
  hidden_size:: 144,
}
