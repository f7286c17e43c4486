// Quoref, QANet with Coref-GRU as the modelling layer. Not in a paper.
local variants = import '../lib/qanet_variants.libsonnet';

(import '../lib/quoref.libsonnet') + variants.coref_gru
