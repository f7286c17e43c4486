// Quoref's development set, cross-validated over its articles: a small QANet. Not in a paper.
// `coref-rc data folds` writes the folds. Training has a fixed number of epochs, and no validation.
local characters = import '../lib/characters.libsonnet';
local quoref = import '../lib/quoref.libsonnet';

quoref {
  embedding_dim:: 64,
  characters:: characters.bytes(8, 32),
  hidden_size:: 32,
  blocks:: 1,
  annotated_blocks:: [0],
  dassa_options:: { num_attention_heads: 4 },
  training_limits:: { max_passage_length: 300, max_question_length: 40 },
  equal_budget:: { batch_size: 16, epochs: 7, patience: null, halving_patience: 4, accumulation: 1 },

  train_data_path: 'data/quoref/fold_1/train.json',
  validation_data_path:: null,
  test_data_path: 'data/quoref/fold_1/test.json',
  evaluate_on_test: true,
  datasets_for_vocab_creation: ['train'],
  trainer+: { patience:: null, validation_metric:: null, learning_rate_scheduler:: null },
}
