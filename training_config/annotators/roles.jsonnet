// Semantic roles on PropBank over the English Web Treebank (CoNLL-2012's columns): the model of the annotator `roles`.
local core = ['ARG0', 'ARG1', 'ARG2', 'ARG3', 'ARG4'];
local modifiers = 'ADJ ADV CAU COM CXN DIR DIS EXT GOL LOC LVB MNR MOD NEG PRD PRP PRR REC TMP';
{
  dataset_reader: { type: 'propbank' },
  train_data_path: 'data/annotators/propbank_ewt/train',
  validation_data_path: 'data/annotators/propbank_ewt/dev',
  vocabulary: { type: 'empty' },
  model: {
    type: 'role_labeller',
    network: {
      // These roles occur ten times or more.
      roles: ['V', 'C-V'] + core + ['C-' + role for role in core[0:4]] + ['R-' + role for role in core[0:3]]
             + ['ARGM-' + name for name in std.split(modifiers, ' ')]
             + ['C-ARGM-CXN', 'C-ARGM-LOC', 'R-ARGM-ADV', 'R-ARGM-LOC', 'R-ARGM-TMP'],
      vector_dim: 128, hidden_size: 128,
      rows: [5000, 3000, 1000, 500, 60, 60, 300, 150, 60],
    },
  },
  data_loader: { batch_sampler: { type: 'bucket', batch_size: 32, sorting_keys: ['heads'] } },
  validation_data_loader: { batch_size: 64 },
  trainer: {
    num_epochs: 17, grad_norm: 5,
    optimizer: { type: 'adamw', lr: 0.004, weight_decay: 0.001, betas: [0.9, 0.99] },
    learning_rate_scheduler: { type: 'linear_with_warmup', warmup_steps: 200, num_epochs: 24 },
    moving_average: { type: 'exponential', decay: 0.998 },
    validation_metric: '+arguments_f1',
  },
  random_seed: 1, numpy_seed: 1, pytorch_seed: 1,
}
