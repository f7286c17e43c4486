// Single-layer reader with GRU and indicators of clusters: "bi-GRU + one-hot".
// Table 1 in Dhingra et al. (2017, arXiv:1703.02620).
local variants = import '../lib/variants.libsonnet';

(import '../lib/babi.libsonnet') + variants.one_hot + variants.single_layer
