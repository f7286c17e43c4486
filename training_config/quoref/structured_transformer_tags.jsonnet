// Quoref, ModernBERT-base with answers of several spans. Not in a paper.
// The answers are tagged as in TASE (Segal et al., EMNLP 2020).
local structured = import '../lib/structured_transformer.libsonnet';

structured.tags(import '../lib/quoref.libsonnet')
