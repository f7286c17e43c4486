// Single-layer reader with Coref-GRU, Who-did-What, strict.
// Coref-GRU (Dhingra et al., NAACL 2018) has no such row.
local variants = import '../lib/variants.libsonnet';

(import '../lib/who_did_what.libsonnet') + variants.coref_gru + variants.single_layer + { training_set:: 'Strict' }
