// NarrativeQA with swapped splits: a small QANet that reads excerpts. Not in a paper.
// It trains on official test questions and is tested on official validation questions: see docs/results/narrativeqa.md.
local characters = import '../lib/characters.libsonnet';
local narrativeqa = import '../lib/narrativeqa.libsonnet';

narrativeqa {
  embedding_dim:: 64,
  characters:: characters.bytes(8, 32),
  hidden_size:: 32,
  blocks:: 1,
  annotated_blocks:: [0],
  dassa_options:: { num_attention_heads: 12, attention_projection_dim: 96 },
  text:: 'tokenized',
  data_set+:: { excerpt_length: 100 },
  training_limits:: { max_question_length: 30 },
  equal_budget:: { batch_size: 16, epochs: 2, patience: null, halving_patience: 4, accumulation: 1 },
  annotated_files:: true,

  train_data_path: 'data/narrativeqa/swapped/train.jsonl',
  validation_data_path:: null,
  test_data_path: 'data/narrativeqa/swapped/test.jsonl',
  datasets_for_vocab_creation: ['train'],
  trainer+: { patience:: null, validation_metric:: null, learning_rate_scheduler:: null },
}
