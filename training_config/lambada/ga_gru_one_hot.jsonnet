// GA Reader with GRU and indicators of clusters, LAMBADA.
// "GA w/ GRU + 1-hot" of Table 3 in Coref-GRU (Dhingra et al., NAACL 2018).
local variants = import '../lib/variants.libsonnet';

(import '../lib/lambada.libsonnet') + variants.one_hot
