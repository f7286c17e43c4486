// GA Reader with MAGE-GRU on bAbI-Mix: "MAGE (16)" of Table 2 in Dhingra et al. (2017, arXiv:1703.02620).
// On this data set, the authors' code has 32 units for coreference edges: variants.mage_gru(32).
local variants = import '../lib/variants.libsonnet';

(import '../lib/babi_mix.libsonnet') + variants.mage_gru(16)
