// Quoref, the model of structured_transformer_coref with answers of several spans. Not in a paper.
// The answers are tagged as in TASE (Segal et al., EMNLP 2020).
local structured = import '../lib/structured_transformer.libsonnet';
local variants = import '../lib/qanet_variants.libsonnet';

(import 'structured_transformer_tags.jsonnet') + structured.dassa + variants.coref()
