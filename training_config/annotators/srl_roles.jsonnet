// Arguments of PropBank's predicates, on Universal PropBank's English-EWT: for the annotator `trained_srl`.
local tagger = import '../lib/srl.libsonnet';
local modifiers = 'ADJ ADV CAU COM CXN DIR DIS EXT GOL LOC LVB MNR MOD NEG PRD PRP PRR TMP';
// These roles occur ten times or more in the corpus.
local roles = ['ARG0', 'ARG1', 'ARG2', 'ARG3', 'ARG4', 'C-ARG1', 'R-ARG0', 'R-ARG1', 'R-ARGM-LOC']
              + ['ARGM-' + name for name in std.split(modifiers, ' ')];
tagger {
  feature_dims:: { distances: 16, predicates: 32 },
  dataset_reader+: { task: 'roles', roles: roles, token_indexers+: {
    distances: { type: 'single_id', namespace: 'distances', feature_name: 'ent_type_' },
    predicates: { type: 'single_id', namespace: 'predicates', feature_name: 'lemma_', lowercase_tokens: true },
  } },
  vocabulary+: {
    min_count+: { predicates: 2 },
    tokens_to_add: { labels: [bio + role for role in roles for bio in ['B-', 'I-']] },
  },
  // AllenNLP's `srl` would count spans with a Perl script.
  model+: { type: 'crf_tagger', dropout: 0.3 },
}
