// Single-layer reader with GRU and indicators of coreference clusters: beside Table 1 in Dhingra et al. (NAACL 2018).
local variants = import '../lib/variants.libsonnet';

(import '../lib/babi.libsonnet') + variants.gru_one_hot + variants.single_layer
