// GA Reader with MAGE-GRU, 32 units for coreference, CNN.
// "GA + MAGE (32)" of Table 5 in MAGE-GRU (Dhingra et al., 2017, arXiv:1703.02620).
local variants = import '../lib/variants.libsonnet';

(import '../lib/cnn.libsonnet') + variants.mage_gru(32)
