// GA Reader with GRU, WikiHop.
// "GA w/ GRU" of Table 2 in Coref-GRU (Dhingra et al., NAACL 2018).
local variants = import '../lib/variants.libsonnet';

(import '../lib/wikihop.libsonnet') + variants.torch_gru
