// Quoref, QANet with Coref-GRU as the modelling layer: no paper's row.
local variants = import '../lib/qanet_variants.libsonnet';

(import '../lib/quoref.libsonnet') + variants.coref_gru
