// NarrativeQA with swapped splits: a small QANet. Not in a paper.
// It trains on official test questions and is tested on official validation questions: see docs/results/narrativeqa.md.
local characters = import '../lib/characters.libsonnet';
local narrativeqa = import '../lib/narrativeqa.libsonnet';

narrativeqa {
  embedding_dim:: 64,
  characters:: characters.bytes(8, 32),
  hidden_size:: 32,
  blocks:: 1,
  annotated_blocks:: [0],
  dassa_options:: { num_attention_heads: 8 },
  training_limits:: { max_passage_length: 300, max_question_length: 30 },
  equal_budget:: { batch_size: 16, epochs: 4, patience: null, halving_patience: 4, accumulation: 1 },
  annotated_files:: true,

  train_data_path: 'data/narrativeqa_swapped/train.jsonl',
  validation_data_path:: null,
  test_data_path: 'data/narrativeqa_swapped/test.jsonl',
  datasets_for_vocab_creation: ['train'],
  trainer+: { patience:: null, validation_metric:: null, learning_rate_scheduler:: null },
}
