// Single-layer reader with GRU and indicators of clusters, LAMBADA.
// "bi-GRU + one-hot" of Table 3 in MAGE-GRU (Dhingra et al., 2017, arXiv:1703.02620).
local variants = import '../lib/variants.libsonnet';

(import '../lib/lambada.libsonnet') + variants.one_hot + variants.single_layer
