// NarrativeQA, ModernBERT-base under MAGE-GRU. Not in a paper.
local variants = import '../lib/narrativeqa_variants.libsonnet';

(import 'structured_transformer.jsonnet') + variants.mage_gru(16)
