// NarrativeQA, ModernBERT-base that reads question and summary together: no paper's row.
local structured = import '../lib/structured_transformer.libsonnet';

structured.spans(import '../lib/narrativeqa.libsonnet')
