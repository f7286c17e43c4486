// GA Reader with GRU: "GA w/ GRU" of Table 1 in Dhingra et al. (NAACL 2018).
local variants = import '../lib/variants.libsonnet';

(import '../lib/babi.libsonnet') + variants.torch_gru
