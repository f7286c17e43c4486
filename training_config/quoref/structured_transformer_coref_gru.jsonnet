// Quoref, ModernBERT-base under Coref-GRU: no paper's row.
local variants = import '../lib/qanet_variants.libsonnet';

(import 'structured_transformer.jsonnet') + variants.coref_gru
