// Quoref, DASSA with a head that sees coreference clusters. Not in a paper.
local variants = import '../lib/qanet_variants.libsonnet';

(import '../lib/quoref.libsonnet') + variants.coref()
