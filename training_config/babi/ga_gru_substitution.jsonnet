// GA Reader with GRU, on our compiled recurrence. Names are exchanged in training. Not in a paper.
// See babi_substitution.libsonnet.
local variants = import '../lib/variants.libsonnet';

(import '../lib/babi_substitution.libsonnet') + variants.gru
