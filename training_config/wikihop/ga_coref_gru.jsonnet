// GA Reader with Coref-GRU, WikiHop.
// "GA w/ C-GRU" of Table 2 in Coref-GRU (Dhingra et al., NAACL 2018).
local variants = import '../lib/variants.libsonnet';

(import '../lib/wikihop.libsonnet') + variants.coref_gru
