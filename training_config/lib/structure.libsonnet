// A model of linguistic structure: one encoder, and for each task in `tasks` a reader, its data and a head.
local corpora = 'data/annotators/';
// GUM's genres whose texts may be used for any purpose.
local genres = std.split('academic bio court interview news speech textbook vlog voyage', ' ');
local core = ['ARG0', 'ARG1', 'ARG2', 'ARG3', 'ARG4'];
local modifiers = 'ADJ ADV CAU COM CXN DIR DIS EXT GOL LOC LVB MNR MOD NEG PRD PRP PRR REC TMP';
{
  local config = self,
  tasks:: error 'Must override tasks',
  encoder:: {
    model_name: 'sentence-transformers/all-MiniLM-L6-v2',
    revision: 'c9745ed1d9f207416be6d2e6f8de32d1f16199bf',
  },
  dim:: 384,  // of the encoder's vectors
  backbone:: { dropout: 0.1 },
  learning_rate:: 0.001,
  learning_rate_of_encoder:: 0.0005,  // of its adapters; about 0.0001 if all of it is trained
  epochs:: 8,
  steps_per_epoch:: 375,  // of each task

  // LitBank, GAP and OntoGUM; of the latter's training part the genres whose licences are free.
  coreference:: {
    train: {
      ontogum: [corpora + 'ontogum/train/GUM_%s_*.conll' % genre for genre in genres],
      litbank: corpora + 'litbank',
      gap: corpora + 'gap',
    },
    validation: self.train { ontogum: corpora + 'ontogum/dev' },
    reader: {
      type: 'coreference',
      folder: corpora + 'gum/train',
      fold: 'train',
      repeats: { ontogum: 4, litbank: 4 },
      exchange_names: true,
    },
    validation_reader: { type: 'coreference', folder: corpora + 'gum/dev', fold: 'valid' },
    batch_size: 4,
    metric: '+coreference_mean_f1',
    head: { type: 'coreference' },
  },

  // PropBank over the English Web Treebank. These roles occur ten times or more.
  roles:: {
    train: corpora + 'propbank_ewt/train',
    validation: corpora + 'propbank_ewt/dev',
    reader: { type: 'annotated_texts', format: 'conll_2012', max_words: 100 },
    validation_reader: self.reader,
    batch_size: 8,
    metric: '+roles_arguments_f1',
    head: {
      type: 'roles',
      roles: ['C-V'] + core + ['C-' + role for role in core[0:4]] + ['R-' + role for role in core[0:3]]
             + ['ARGM-' + name for name in std.split(modifiers, ' ')]
             + ['C-ARGM-CXN', 'C-ARGM-LOC', 'R-ARGM-ADV', 'R-ARGM-LOC', 'R-ARGM-TMP'],
      hidden_dim: 256,
      dropout: 0.1,
    },
  },

  // GDTB, of the same genres.
  discourse:: {
    train: [corpora + 'gdtb/GUM_%s_*.rels' % genre for genre in genres],
    validation: corpora + 'gdtb',
    // Long parts, and short texts as users have them.
    reader: { type: 'annotated_texts', format: 'rels', fold: 'train', max_words: [230, 40] },
    validation_reader: { type: 'annotated_texts', format: 'rels', fold: 'valid' },
    batch_size: 2,
    metric: '+discourse_explicit_connectives_f1',
    head: { type: 'discourse' },
  },

  local names = std.objectFields(config.tasks),
  local of_tasks(field) = { [name]: config.tasks[name][field] for name in names },
  local readers(field) = {
    type: 'multitask',
    readers: {
      [name]: config.tasks[name][field] { token_indexers: { transformer: { type: 'word_pieces' } + config.encoder } }
      for name in names
    },
  },
  local loader = {
    type: 'multitask',
    scheduler: { type: 'homogeneous_roundrobin', batch_size: of_tasks('batch_size') },
  },
  dataset_reader: readers('reader'),
  validation_dataset_reader: readers('validation_reader'),
  train_data_path: of_tasks('train'),
  validation_data_path: of_tasks('validation'),
  vocabulary: { type: 'empty' },
  model: {
    type: 'multitask',
    backbone: { type: 'structure_encoder' } + config.encoder + config.backbone,
    heads: { [name]: config.tasks[name].head { input_dim: config.dim } for name in names },
  },
  data_loader: loader {
    instances_per_epoch: config.steps_per_epoch * std.sum([config.tasks[name].batch_size for name in names]),
    sampler: { type: 'weighted', weights: of_tasks('batch_size') },
  },
  validation_data_loader: loader { shuffle: false },
  trainer: {
    num_epochs: config.epochs,
    grad_norm: 1,
    optimizer: {
      type: 'huggingface_adamw',
      lr: config.learning_rate,
      weight_decay: 0.01,
      parameter_groups: [[['_backbone'], { lr: config.learning_rate_of_encoder }]],
    },
    moving_average: { type: 'recoverable_exponential', decay: 0.995 },
    checkpointer: { type: 'exact' },
    learning_rate_scheduler: {
      type: 'linear_with_warmup',
      warmup_steps: 100,
      num_steps_per_epoch: config.steps_per_epoch * std.length(names),
    },
    validation_metric: [config.tasks[name].metric for name in names],
  },
  random_seed: 1,
  numpy_seed: 1,
  pytorch_seed: 1,
}
