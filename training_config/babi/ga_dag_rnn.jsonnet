// GA Reader with DAG-RNN: "GA + DAG-RNN" of Table 1 in Dhingra et al. (2017, arXiv:1703.02620).
local variants = import '../lib/variants.libsonnet';

(import '../lib/babi.libsonnet') + variants.dag_rnn
