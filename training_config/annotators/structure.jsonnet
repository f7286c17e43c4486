// The structure model: one encoder reads a text once, and a head for each layer gives its structure.
local data = 'data/annotators/';
local encoder = { encoder: 'sentence-transformers/all-MiniLM-L6-v2', revision: 'c9745ed1d9f207416be6d2e6f8de32d1f16199bf' };
local size = 384;
// GUM's genres whose texts may be used for any purpose.
local genres = ['academic', 'bio', 'court', 'interview', 'news', 'speech', 'textbook', 'vlog', 'voyage'];
local reader(part, fold, repeats) = {
  type: 'multitask',
  readers: {
    coreference: {
      type: 'coreference',
      token_indexers: { transformer: { type: 'word_pieces' } + encoder },
      trees: data + 'gum/' + part, fold: fold, repeats: repeats,
    },
  },
};
{
  dataset_reader: reader('train', 'train', { ontogum: 2, litbank: 2 }),
  validation_dataset_reader: reader('dev', 'valid', {}),
  train_data_path: {
    coreference: {
      ontogum: [data + 'ontogum/train/GUM_%s_*.conll' % genre for genre in genres],
      litbank: data + 'litbank', gap: data + 'gap',
    },
  },
  validation_data_path: { coreference: { ontogum: data + 'ontogum/dev', litbank: data + 'litbank', gap: data + 'gap' } },
  vocabulary: { type: 'empty' },
  model: {
    type: 'multitask',
    backbone: { type: 'structure_encoder', dropout: 0.1, layer_dropout: 0.1 } + encoder,
    heads: { coreference: { type: 'coreference', input_dim: size } },
  },
  data_loader: { type: 'multitask', scheduler: { batch_size: { coreference: 8 } } },
  validation_data_loader: { type: 'multitask', scheduler: { batch_size: { coreference: 8 } }, shuffle: false },
  trainer: {
    num_epochs: 4, grad_norm: 1,
    optimizer: {
      type: 'huggingface_adamw', lr: 0.0005, weight_decay: 0.01,
      parameter_groups: [[['_backbone'], { lr: 0.0005 }]],
    },
    learning_rate_scheduler: { type: 'linear_with_warmup', warmup_steps: 50 },
    moving_average: { type: 'recoverable_exponential', decay: 0.995 },
    checkpointer: { type: 'exact' },
    validation_metric: '+coreference_mean_f1',
  },
  random_seed: 1, numpy_seed: 1, pytorch_seed: 1,
}
