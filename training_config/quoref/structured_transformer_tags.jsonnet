// Quoref, ModernBERT-base with answers of several spans, which are tagged as in TASE (Segal et al., EMNLP 2020). Not in
// a paper.
local structured = import '../lib/structured_transformer.libsonnet';

structured.tags(import '../lib/quoref.libsonnet')
