// Quoref's development set, cross-validated over its articles: a small DASSA that sees semantic roles. Not in a paper.
local variants = import '../lib/qanet_variants.libsonnet';

(import 'qanet.jsonnet') + (import '../lib/quoref_structure.libsonnet') + variants.srl(3)
