// Single-layer reader with GRU and indicators of clusters. It is the model of bi_gru_one_hot on our compiled
// recurrence, which is faster on a CPU.
local variants = import '../lib/variants.libsonnet';

(import '../lib/babi.libsonnet') + variants.compiled_gru + variants.single_layer + variants.one_hot
