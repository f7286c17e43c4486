// GA Reader with MAGE-GRU, whose state is not split: "GA + MAGE (shared)".
// Table 1 in Dhingra et al. (2017, arXiv:1703.02620).
local variants = import '../lib/variants.libsonnet';

(import '../lib/babi.libsonnet') + variants.mage_gru_shared
