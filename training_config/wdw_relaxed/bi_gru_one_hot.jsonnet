// Single-layer reader with GRU and indicators of clusters, Who-did-What, relaxed.
// Coref-GRU (Dhingra et al., NAACL 2018) has no such row.
local variants = import '../lib/variants.libsonnet';

(import '../lib/who_did_what.libsonnet') + variants.gru_one_hot + variants.single_layer + { training_set:: 'Relaxed' }
