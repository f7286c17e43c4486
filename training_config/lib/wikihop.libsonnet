// A GA Reader on WikiHop (QAngaroo v1.1). Settings of Coref-GRU (Dhingra et al., NAACL 2018), Appendix B, and of its
// authors' code. Theirs begin with GloVe vectors: see pretrained_file in ga.libsonnet. In training two things differ: the learning
// rate is halved after an epoch (43,738 questions, 2,734 updates; theirs: every 2,500 updates) and validation is once
// an epoch (theirs: every 500 updates). Their clusters are those of the Berkeley Entity Resolution System; here of a
// sieve that needs no model: others come with files that `allennlp annotate` has written, for which the annotator is
// not asked. How questions are read differs as `annotated_wikihop` says.
local characters = import 'characters.libsonnet';
local ga = import 'ga.libsonnet';

ga {
  local experiment = self,

  hidden_size:: 64,
  embedding_dim:: 100,
  max_clusters:: 50,
  max_passage_length:: 2200,
  stack_question:: true,
  read_out:: 'final_states',
  dropout:: 0.2,
  question_feature:: true,
  characters:: characters.cnn(),
  unknown_words:: 100,
  embedding_initializers:: [['_text_field_embedder.token_embedder_tokens.weight', { type: 'gated_normal' }]],
  encoder_initializers:: [
    ['_(passage|question)_encoders.*weight.*', { type: 'gated_normal', gates: 3 }],
    ['_(passage|question)_encoders.*bias.*', { type: 'constant', val: 0 }],
  ],
  annotator:: { type: 'sieve_coref' },
  reader:: { type: 'annotated_wikihop', max_clusters: experiment.max_clusters },
  dataset_reader+: { max_passage_length: experiment.max_passage_length },
  train_data_path: 'data/wikihop/train.json',
  validation_data_path: 'data/wikihop/dev.json',
  vocabulary: { max_vocab_size: { tokens: 100000 } },
  batch_size:: 16,
  epochs:: 5,
  halve_after:: [1, 2, 3, 4],
}
