// GA Reader with MAGE-GRU, passage and question as one sequence: Dhingra et al. (2017, arXiv:1703.02620), section 3.3.
// One encoder a layer reads both.
(import 'ga_mage_gru.jsonnet') {
  encoder_options:: { joint: true },
  model+: { question_encoders:: null },
  annotation_layers:: { coref: { type: 'coref_edges', question_first: true } },
}
