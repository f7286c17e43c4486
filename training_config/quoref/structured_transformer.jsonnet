// Quoref, ModernBERT-base that reads question and passage together: no paper's row.
local structured = import '../lib/structured_transformer.libsonnet';

structured.spans(import '../lib/quoref.libsonnet')
