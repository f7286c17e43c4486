// Quoref's development set, cross-validated over its articles: all-MiniLM-L6-v2 under DASSA. Not in a paper.
// One head of a block of self-attention sees clusters.
local structured = import '../lib/structured_transformer.libsonnet';
local variants = import '../lib/qanet_variants.libsonnet';

(import 'structured_transformer.jsonnet') + structured.dassa + variants.coref()
