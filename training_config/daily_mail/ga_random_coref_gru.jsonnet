// GA Reader with Coref-GRU and random clusters, Daily Mail.
// Coref-GRU (Dhingra et al., NAACL 2018) has no such row.
local variants = import '../lib/variants.libsonnet';

(import '../lib/daily_mail.libsonnet') + variants.random_coref_gru
