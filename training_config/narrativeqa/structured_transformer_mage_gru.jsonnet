// NarrativeQA, ModernBERT-base under MAGE-GRU: no paper's row.
local variants = import '../lib/narrativeqa_variants.libsonnet';

(import 'structured_transformer.jsonnet') + variants.mage_gru(16)
