// A GA Reader on one bAbI task that is not in a paper. In training, names and verbs are exchanged at random
// (`entity_substitution`). Singular and plural corefer. There is one layer more. The learning rate is lower and falls
// later.
local babi = import 'babi.libsonnet';

babi {
  layers:: 4,
  annotator+:: { normalize_number: true },
  learning_rate:: 0.003,
  epochs:: 60,
  milestones:: [18, 24, 30, 36, 42, 48, 54],
  callbacks:: [{ type: 'stop_above', value: 0.999 }],
  entity_substitution:: import 'babi_words.libsonnet',
  // The sum of both counts, since the loss tells epochs apart that answer all validation questions.
  trainer+: { validation_metric: ['+accuracy', '-loss'], patience: 15 },
}
