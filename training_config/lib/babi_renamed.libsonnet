// A GA Reader on one bAbI task, beyond the papers: names and verbs are exchanged at random in training (`renaming`),
// singular and plural corefer, there is a layer more, and the learning rate is lower.
local babi = import 'babi.libsonnet';

babi {
  layers:: 4,
  annotator+:: { normalize_number: true },
  learning_rate:: 0.003,
  halve_after:: [9, 12, 15, 18, 21, 24, 27],
  callbacks:: [],
  model+: { renaming: import 'babi_words.libsonnet' },
  // The sum of both: loss tells epochs apart that answer all validation questions.
  trainer+: { validation_metric: ['+accuracy', '-loss'], patience: 10 },
}
