// Quoref's development set, cross-validated over its articles: a small QANet with a GRU. Not in a paper.
local variants = import '../lib/qanet_variants.libsonnet';

(import 'qanet.jsonnet') + variants.torch_gru
