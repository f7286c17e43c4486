// GA Reader with Coref-GRU, LAMBADA.
// "GA w/ C-GRU" of Table 3 in Coref-GRU (Dhingra et al., NAACL 2018).
local variants = import '../lib/variants.libsonnet';

(import '../lib/lambada.libsonnet') + variants.coref_gru
