// GA Reader with GRU, by our compiled recurrence, whose names are exchanged in training; see babi_renamed.libsonnet.
local variants = import '../lib/variants.libsonnet';

(import '../lib/babi_renamed.libsonnet') + variants.compiled_gru
