// Quoref's development set, cross-validated over its articles: a small DASSA that sees clusters. Not in a paper.
local variants = import '../lib/qanet_variants.libsonnet';

(import 'qanet.jsonnet') + variants.coref()
