// GA Reader with Coref-GRU: "GA w/ C-GRU" of Table 1 in Dhingra et al. (NAACL 2018).
local variants = import '../lib/variants.libsonnet';

(import '../lib/babi.libsonnet') + variants.coref_gru
