// GA Reader with GRU and indicators of clusters: "GA w/ GRU + 1-hot" of Table 1 in Dhingra et al. (NAACL 2018).
local variants = import '../lib/variants.libsonnet';

(import '../lib/babi.libsonnet') + variants.one_hot
