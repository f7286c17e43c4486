// Single-layer reader with GRU. It is the model of bi_gru on our compiled recurrence, which is faster on a CPU.
local variants = import '../lib/variants.libsonnet';

(import '../lib/babi.libsonnet') + variants.gru + variants.single_layer
