// GA Reader with Coref-GRU and random clusters: "GA w/ randomGRU" of Figure 3 in Dhingra et al. (NAACL 2018).
local variants = import '../lib/variants.libsonnet';

(import '../lib/babi.libsonnet') + variants.coref_gru + variants.random_clusters
