// GA Reader with Coref-GRU, CNN.
// Coref-GRU (Dhingra et al., NAACL 2018) has no such row.
local variants = import '../lib/variants.libsonnet';

(import '../lib/cnn.libsonnet') + variants.coref_gru
