// Single-layer reader with GRU and indicators of clusters, Daily Mail.
// Coref-GRU (Dhingra et al., NAACL 2018) has no such row.
local variants = import '../lib/variants.libsonnet';

(import '../lib/daily_mail.libsonnet') + variants.gru_one_hot + variants.single_layer
