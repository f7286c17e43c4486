// GA Reader with one MAGE-GRU a layer for passage and question, read as one sequence: section 3.3 of Dhingra et al. (2017, arXiv:1703.02620).
(import 'ga_mage_gru.jsonnet') {
  encoder_options:: { joint: true },
  model+: { question_encoders:: null },
  dataset_reader+: { annotation_layers: { coref: { type: 'coref_edges', question_first: true } } },
}
