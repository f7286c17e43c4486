// NarrativeQA, ModernBERT-base under Coref-GRU. Not in a paper.
local variants = import '../lib/narrativeqa_variants.libsonnet';

(import 'structured_transformer.jsonnet') + variants.coref_gru
