// A GA Reader on LAMBADA as reading comprehension (Chu et al. 2017). Settings of Coref-GRU (Dhingra et al., NAACL
// 2018), Appendix B, and of its authors' code. Theirs begin with GloVe vectors: see pretrained_file in ga.libsonnet.
// Their clusters are Stanford CoreNLP's; here of a sieve that needs no model: others come with files that `allennlp
// annotate` has written, for which the annotator is not asked.
local ga = import 'ga.libsonnet';

ga {
  local experiment = self,

  hidden_size:: 256,
  embedding_dim:: 100,
  max_clusters:: 14,
  stack_question:: true,
  dropout:: 0.2,
  embedding_initializers:: [['_text_field_embedder.token_embedder_tokens.weight', { type: 'gated_normal' }]],
  encoder_initializers:: [
    ['_(passage|question)_encoders.*weight.*', { type: 'gated_normal', gates: 3 }],
    ['_(passage|question)_encoders.*bias.*', { type: 'constant', val: 0 }],
  ],
  annotator:: { type: 'sieve_coref', max_clusters: experiment.max_clusters },
  reader:: { type: 'annotated_lambada' },
  train_data_path: 'data/lambada/lambada_training_reading_comprehension.txt',
  validation_data_path: 'data/lambada/lambada_development_plain_text.txt',
  test_data_path: 'data/lambada/lambada_test_plain_text.txt',
  evaluate_on_test: true,
  batch_size:: 64,
  epochs:: 5,
  halve_after:: [3, 4],
}
