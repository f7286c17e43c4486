// GA Reader with Coref-GRU and random clusters, WikiHop.
// Coref-GRU (Dhingra et al., NAACL 2018) has no such row.
local variants = import '../lib/variants.libsonnet';

(import '../lib/wikihop.libsonnet') + variants.random_coref_gru
