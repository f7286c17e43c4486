// Quoref's development set, cross-validated over its articles: DASSA that sees explicit relations. Not in a paper.
local variants = import '../lib/qanet_variants.libsonnet';

(import 'qanet.jsonnet') + (import '../lib/quoref_structure.libsonnet') + variants.explicit()
