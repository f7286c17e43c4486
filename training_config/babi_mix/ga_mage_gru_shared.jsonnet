// GA Reader with MAGE-GRU, whose state is not split, on bAbI-Mix: "MAGE (shared)".
// Table 2 in Dhingra et al. (2017, arXiv:1703.02620).
local variants = import '../lib/variants.libsonnet';

(import '../lib/babi_mix.libsonnet') + variants.mage_gru_shared
