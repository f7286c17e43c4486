// Single-layer reader with GRU and indicators of clusters, WikiHop.
// Coref-GRU (Dhingra et al., NAACL 2018) has no such row.
local variants = import '../lib/variants.libsonnet';

(import '../lib/wikihop.libsonnet') + variants.gru_one_hot + variants.single_layer
