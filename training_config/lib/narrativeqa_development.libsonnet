// A small model that overfits the beginnings of NarrativeQA's validation summaries, on a CPU. Not in a paper.
local characters = import 'characters.libsonnet';
local narrativeqa = import 'narrativeqa.libsonnet';

narrativeqa {
  embedding_dim:: 64,
  characters:: characters.bytes(8, 32),
  hidden_size:: 32,
  blocks:: 3,
  annotated_blocks:: [0, 2],
  dropout:: 0,
  dassa_options:: { num_attention_heads: 4, layer_dropout_undecayed_prob: 0 },
  text:: 'tokenized',
  training_limits:: { max_passage_length: 250, max_question_length: 20 },
  train_data_path: 'data/narrativeqa/valid',
  validation_dataset_reader: self.dataset_reader,
  test_data_path:: null,
  evaluate_on_test: false,
  equal_budget:: { batch_size: 16, epochs: 40, patience: 40, halving_patience: 8, accumulation: 1 },
}
