// GA Reader with Coref-GRU on bAbI-Mix, the data set of MAGE-GRU (Dhingra et al., 2017, arXiv:1703.02620).
// Coref-GRU (Dhingra et al., NAACL 2018) has no such row.
local variants = import '../lib/variants.libsonnet';

(import '../lib/babi_mix.libsonnet') + variants.coref_gru
