// Quoref's development set, cross-validated over its articles: all-MiniLM-L6-v2 under Coref-GRU. Not in a paper.
local variants = import '../lib/qanet_variants.libsonnet';

(import 'structured_transformer.jsonnet') + variants.coref_gru
