// Quoref, ModernBERT-base, which reads question and passage together. Not in a paper.
local structured = import '../lib/structured_transformer.libsonnet';

structured.spans(import '../lib/quoref.libsonnet')
