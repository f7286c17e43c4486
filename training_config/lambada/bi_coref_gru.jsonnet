// Single-layer reader with Coref-GRU, LAMBADA.
// Coref-GRU (Dhingra et al., NAACL 2018) has no such row.
local variants = import '../lib/variants.libsonnet';

(import '../lib/lambada.libsonnet') + variants.coref_gru + variants.single_layer
