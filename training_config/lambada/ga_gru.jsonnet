// GA Reader with GRU, LAMBADA.
// "GA w/ GRU" of Table 3 in Coref-GRU (Dhingra et al., NAACL 2018).
local variants = import '../lib/variants.libsonnet';

(import '../lib/lambada.libsonnet') + variants.torch_gru
