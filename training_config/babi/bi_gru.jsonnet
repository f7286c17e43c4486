// The single-layer reader with the encoder of ga_gru.jsonnet: Bi-GRU beside Table 1 in Dhingra et al. (NAACL 2018).
(import 'ga_gru.jsonnet') { layers:: 1 }
