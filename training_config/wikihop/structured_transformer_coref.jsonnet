// WikiHop, ModernBERT-base under a layer of Coref-GRU. Not in a paper.
local structured = import '../lib/structured_transformer.libsonnet';
local variants = import '../lib/variants.libsonnet';

structured.candidates(import '../lib/wikihop.libsonnet') + variants.coref_gru
