// Quoref, ModernBERT-base under a block of self-attention, one head of which sees clusters. Not in a paper.
// It is close to CorefAwareMRC (Huang et al., ACL 2022).
local structured = import '../lib/structured_transformer.libsonnet';
local variants = import '../lib/qanet_variants.libsonnet';

(import 'structured_transformer.jsonnet') + structured.dassa + variants.coref()
