// Single-layer reader with MAGE-GRU: "bi-GRU + MAGE (16)" of Table 1 in Dhingra et al. (2017, arXiv:1703.02620).
local variants = import '../lib/variants.libsonnet';

(import '../lib/babi.libsonnet') + variants.mage_gru(16) + variants.single_layer
