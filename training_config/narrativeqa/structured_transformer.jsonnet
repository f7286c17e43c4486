// NarrativeQA, ModernBERT-base, which reads question and summary together. Not in a paper.
local structured = import '../lib/structured_transformer.libsonnet';

structured.spans(import '../lib/narrativeqa.libsonnet')
