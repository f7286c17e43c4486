// Single-layer reader with MAGE-GRU, 48 units for coreference, CNN.
// "BiGRU + MAGE (48)" of Table 5 in MAGE-GRU (Dhingra et al., 2017, arXiv:1703.02620).
local variants = import '../lib/variants.libsonnet';

(import '../lib/cnn.libsonnet') + variants.mage_gru(48) + variants.single_layer
