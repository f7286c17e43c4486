// GA Reader with GRU and indicators of clusters: ga_gru_one_hot on our compiled recurrence.
// It is faster on a CPU.
local variants = import '../lib/variants.libsonnet';

(import '../lib/babi.libsonnet') + variants.gru + variants.one_hot
