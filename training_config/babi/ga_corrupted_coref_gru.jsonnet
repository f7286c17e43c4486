// GA Reader with Coref-GRU and corrupted clusters: Figure 3 (left) in Dhingra et al. (NAACL 2018).
// The command line gives the share of mentions that are removed, or replaced by random tokens:
//   -o '{"dataset_reader.annotator.remove_mentions": 0.25}'
//   -o '{"dataset_reader.annotator.replace_mentions": 0.25}'
local variants = import '../lib/variants.libsonnet';

(import '../lib/babi.libsonnet') + variants.coref_gru + variants.corrupted_clusters
