// 1K training questions: "GA w/ C-GRU" of Table 2 (1K) in Coref-GRU (Dhingra et al., NAACL 2018).
(import 'ga_coref_gru.jsonnet') {
  dataset_reader+: { max_instances: 1000 },
  validation_dataset_reader+: { max_instances:: null },
}
