// Single-layer reader with Coref-GRU: "Bi-C-GRU" of Table 1 in Dhingra et al. (NAACL 2018).
local variants = import '../lib/variants.libsonnet';

(import '../lib/babi.libsonnet') + variants.coref_gru + variants.single_layer
