// Quoref, DASSA with a head that sees coreference clusters: no paper's row.
local variants = import '../lib/qanet_variants.libsonnet';

(import '../lib/quoref.libsonnet') + variants.coref()
