// Single-layer reader with MAGE-GRU: "bi-GRU + MAGE (16)" of Table 1 in Dhingra et al. (2017, arXiv:1703.02620).
(import 'ga_mage_gru.jsonnet') { layers:: 1 }
