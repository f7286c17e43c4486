// GA Reader with GRU and indicators of coreference clusters: "GA w/ GRU + 1-hot" of Table 1 in Dhingra et al. (NAACL 2018).
(import 'ga_gru.jsonnet') {
  cluster_one_hot:: self.max_clusters,
  dataset_reader+: { annotation_layers: { coref_clusters: 'coref_clusters' } },
}
