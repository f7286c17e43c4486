// NarrativeQA, ModernBERT-base under a block of DASSA's self-attention, one head of which sees coreference clusters.
// Not in a paper.
local structured = import '../lib/structured_transformer.libsonnet';
local variants = import '../lib/narrativeqa_variants.libsonnet';

(import 'structured_transformer.jsonnet') + structured.dassa + variants.coref()
