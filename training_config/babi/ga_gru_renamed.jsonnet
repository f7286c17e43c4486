// GA Reader with GRU, on our compiled recurrence. Names are exchanged in training. Not in a paper.
// See babi_renamed.libsonnet.
local variants = import '../lib/variants.libsonnet';

(import '../lib/babi_renamed.libsonnet') + variants.compiled_gru
