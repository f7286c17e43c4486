// Single-layer reader with GRU, LAMBADA.
// "bi-GRU" of Table 3 in MAGE-GRU (Dhingra et al., 2017, arXiv:1703.02620).
local variants = import '../lib/variants.libsonnet';

(import '../lib/lambada.libsonnet') + variants.torch_gru + variants.single_layer
