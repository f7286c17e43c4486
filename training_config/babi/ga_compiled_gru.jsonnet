// GA Reader with GRU. It is the model of ga_gru on our compiled recurrence, which is several times as fast on a CPU.
local variants = import '../lib/variants.libsonnet';

(import '../lib/babi.libsonnet') + variants.gru
