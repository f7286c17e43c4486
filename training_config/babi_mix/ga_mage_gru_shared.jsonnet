// GA Reader with MAGE-GRU, state not split: "MAGE (shared)" of Table 2 in Dhingra et al. (2017, arXiv:1703.02620).
(import 'ga_mage_gru.jsonnet') {
  state_sizes:: { sequential: $.hidden_size, coref: $.hidden_size },
  encoder_options:: { variant: 'shared' },
}
