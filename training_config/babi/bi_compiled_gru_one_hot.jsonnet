// Single-layer reader with GRU and indicators of clusters: bi_gru_one_hot on our compiled recurrence.
// It is faster on a CPU.
local variants = import '../lib/variants.libsonnet';

(import '../lib/babi.libsonnet') + variants.gru + variants.single_layer + variants.one_hot
