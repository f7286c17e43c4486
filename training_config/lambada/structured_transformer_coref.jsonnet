// LAMBADA, ModernBERT-base under a block of self-attention, one head of which sees clusters. Not in a paper.
local structured = import '../lib/structured_transformer.libsonnet';
local variants = import '../lib/variants.libsonnet';

structured.candidates(import '../lib/lambada.libsonnet') + variants.dassa
