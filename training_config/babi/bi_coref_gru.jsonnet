// The single-layer reader with the encoder of ga_coref_gru.jsonnet: Bi-C-GRU beside Table 1 in Dhingra et al. (NAACL 2018).
(import 'ga_coref_gru.jsonnet') { layers:: 1 }
