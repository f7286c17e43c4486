// Predicates of PropBank, on Universal PropBank's English-EWT: for the annotator `trained_srl`.
local tagger = import '../lib/srl.libsonnet';

tagger {
  dataset_reader+: { task: 'predicates' },
  model+: { type: 'simple_tagger' },
}
