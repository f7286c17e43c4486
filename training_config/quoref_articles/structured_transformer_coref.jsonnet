// Quoref's development set, cross-validated over its articles: all-MiniLM-L6-v2 under a block of self-attention, one head
// of which sees clusters. Not in a paper.
local structured = import '../lib/structured_transformer.libsonnet';
local variants = import '../lib/qanet_variants.libsonnet';

(import 'structured_transformer.jsonnet') + structured.dassa + variants.coref()
