// Quoref, ModernBERT-base with answers of several spans, tagged as in TASE (Segal et al., EMNLP 2020): no paper's row.
local structured = import '../lib/structured_transformer.libsonnet';

structured.tags(import '../lib/quoref.libsonnet')
