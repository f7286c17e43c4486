// A small model for Quoref that is trained on a CPU in minutes, for comparing models with each other on parts of the
// development set. Not in a paper. scripts/cross_validate_quoref.py trains it.
local characters = import 'characters.libsonnet';
local quoref = import 'quoref.libsonnet';

quoref {
  embedding_dim:: 64,
  characters:: characters.bytes(8, 32),
  hidden_size:: 32,
  blocks:: 1,
  annotated_blocks:: [0],
  dassa_options:: { num_attention_heads: 4 },
  training_limits:: { max_passage_length: 300, max_question_length: 40 },
  equal_budget:: { batch_size: 16, epochs: 7, patience: null, halving_patience: 4, accumulation: 1 },
}
