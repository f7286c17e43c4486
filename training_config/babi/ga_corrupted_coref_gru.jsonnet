// GA Reader with Coref-GRU and spoilt clusters: Figure 3 (left) in Dhingra et al. (NAACL 2018).
// Which share of the mentions, and what becomes of it, is chosen on the command line: removed, or random tokens instead.
//   -o '{"dataset_reader.annotator.remove_mentions": 0.25}' or -o '{"dataset_reader.annotator.replace_mentions": 0.25}'
local variants = import '../lib/variants.libsonnet';

(import '../lib/babi.libsonnet') + variants.corrupted_coref_gru
