// The single-layer reader with the encoder of ga_gru_one_hot.jsonnet: Bi-GRU with indicators of coreference clusters beside Table 1 in Dhingra et al. (NAACL 2018).
(import 'ga_gru_one_hot.jsonnet') { layers:: 1 }
