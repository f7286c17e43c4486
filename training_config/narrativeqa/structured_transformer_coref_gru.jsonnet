// NarrativeQA, ModernBERT-base under Coref-GRU: no paper's row.
local variants = import '../lib/narrativeqa_variants.libsonnet';

(import 'structured_transformer.jsonnet') + variants.coref_gru
