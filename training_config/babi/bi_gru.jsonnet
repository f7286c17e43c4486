// Single-layer reader with GRU: "Bi-GRU" of Table 1 in Dhingra et al. (NAACL 2018).
local variants = import '../lib/variants.libsonnet';

(import '../lib/babi.libsonnet') + variants.torch_gru + variants.single_layer
