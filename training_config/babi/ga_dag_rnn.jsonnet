// GA Reader with DAG-RNN: "GA + DAG-RNN" of Table 1 in Dhingra et al. (2017, arXiv:1703.02620).
(import 'ga_mage_gru_shared.jsonnet') { encoder_options:: { variant: 'dag_rnn' } }
