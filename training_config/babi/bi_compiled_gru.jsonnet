// Single-layer reader with GRU, run by our compiled recurrence: bi_gru's model, faster on a CPU.
local variants = import '../lib/variants.libsonnet';

(import '../lib/babi.libsonnet') + variants.compiled_gru + variants.single_layer
