// Single-layer reader with GRU, CNN.
// "BiGRU" of Table 5 in MAGE-GRU (Dhingra et al., 2017, arXiv:1703.02620).
local variants = import '../lib/variants.libsonnet';

(import '../lib/cnn.libsonnet') + variants.torch_gru + variants.single_layer
