// GA Reader with GRU, run by our compiled recurrence: ga_gru's model, several times as fast on a CPU.
local variants = import '../lib/variants.libsonnet';

(import '../lib/babi.libsonnet') + variants.compiled_gru
