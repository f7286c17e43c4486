// Quoref's development set, cross-validated over its articles: a small DASSA that sees all relations. Not in a paper.
local variants = import '../lib/qanet_variants.libsonnet';

(import 'dassa_explicit.jsonnet') + variants.non_explicit()
