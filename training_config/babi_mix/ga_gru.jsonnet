// GA Reader with GRU on bAbI-Mix.
// MAGE-GRU (Dhingra et al., 2017, arXiv:1703.02620), whose data set it is, has no such row.
local variants = import '../lib/variants.libsonnet';

(import '../lib/babi_mix.libsonnet') + variants.gru
