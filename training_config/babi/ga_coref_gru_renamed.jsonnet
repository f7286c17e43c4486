// GA Reader with Coref-GRU, whose names are exchanged in training: beyond the papers, see babi_renamed.libsonnet.
local variants = import '../lib/variants.libsonnet';

(import '../lib/babi_renamed.libsonnet') + variants.coref_gru
