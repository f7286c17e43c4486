// QANet on any data set whose answers are spans, with any modelling layer. The settings are those of DASSA (Mihaylov &
// Frank, EMNLP 2019) and of its authors' code. The library of a data set adds its own settings: narrativeqa.libsonnet,
// quoref.libsonnet. Annotations come from this package's annotators. Files that `coref-rc annotate` has written keep
// their own. Each hidden field is one choice; a variant changes one (see qanet_variants.libsonnet). The experiment is
// put together from all of them in one place, below the fields. So variants combine in any order.
local characters = import 'characters.libsonnet';
local encoders = import 'encoders.libsonnet';
local transformers = import 'transformers.libsonnet';

{
  local experiment = self,

  // Words.
  embedding_dim:: 100,
  pretrained_file:: null,
  train_embeddings:: experiment.pretrained_file == null,
  characters:: characters.bytes(),
  transformer:: null,  // a pretrained one in place of word embeddings, see transformers.libsonnet
  local has_transformer = experiment.transformer != null,
  word_dim:: if has_transformer then experiment.transformer.dim else experiment.embedding_dim,

  // The modelling layer, see encoders.libsonnet. By default it is DASSA's stack of blocks, which without views is
  // QANet's.
  encoder:: encoders.dassa(experiment.hidden_size, experiment.views, block_options + {
    num_blocks: experiment.blocks,
    annotated_blocks: experiment.annotated_blocks,
    [if experiment.join_unannotated then 'join_unannotated']: true,
  } + if experiment.heads_in_all_blocks == null then {} else {
    annotated_blocks: std.range(0, experiment.blocks - 1),
    num_attention_heads: experiment.heads_in_all_blocks,
    // The dimensions cannot be divided by some numbers of heads, so each head is as large as one of eight.
    attention_projection_dim: experiment.heads_in_all_blocks * experiment.hidden_size / 4,
  }),
  hidden_size:: 64,  // of a direction
  blocks:: 7,
  dropout:: 0.1,
  dassa_options:: {},  // further keys of `dassa`, in the modelling layer and below it

  // The views of DASSA's heads, by name: { layer: an annotation layer, heads: how many heads see it }.
  views:: {},
  annotated_blocks:: [1, 3, 5],
  heads_in_all_blocks:: null,  // how many heads all blocks have, some of which see views; null for annotated_blocks
  join_unannotated:: false,
  assert experiment.encoder.has_heads
         || experiment.views == {} && experiment.heads_in_all_blocks == null && !experiment.join_unannotated :
         'Found views of annotations, heads_in_all_blocks or join_unannotated beside a modelling layer without heads '
         + '(gru, coref_gru, mage_gru or bidaf): leave one of the two out',

  // Annotators, and the annotation layers that need them.
  annotators:: {
    coref: { type: 'sieve_coref', descriptions: false },
    // The relations of DASSA's section 2, with predicted senses, and the frames of verbs.
    discourse: { type: 'discourse', implicit: true, paper_like: true },
    srl: { type: 'roles', verbs: true },
  },
  local annotator_of_layer = {
    coref: 'coref',
    discourse_explicit: 'discourse',
    discourse_non_explicit: 'discourse',
    srl: 'srl',
  },

  // Data: the reader's own settings, whether files are annotated, and the metric of answers with its value that
  // training is to improve.
  data_set:: error 'Must override data_set',
  annotated_files:: false,
  training_limits:: { max_passage_length: 800, max_question_length: 50 },
  metric:: null,  // null for the models' own
  validation_metric:: error 'Must override validation_metric',

  // Training. An update is for batch_size questions, which come in as many batches as accumulation says.
  equal_budget:: { batch_size: 32, epochs: 70, patience: 20, halving_patience: 8, accumulation: 1 },
  budget:: experiment.equal_budget,
  max_batch_size:: null,
  moving_average:: null,
  learning_rate:: 0.001,
  callbacks:: [],

  local has_own_model = std.objectHas(experiment.encoder, 'model'),
  local annotation_layers = experiment.encoder.annotation_layers,
  local needed = std.set([
    annotator_of_layer[name]
    for name in std.objectFields(annotation_layers)
    if std.objectHas(annotator_of_layer, name)
  ]),
  local reader = experiment.data_set {
    [if needed != [] && !experiment.annotated_files then 'annotator']: {
      type: 'compose',
      annotators: [experiment.annotators[name] for name in needed],
    },
    [if annotation_layers != {} then 'annotation_layers']: annotation_layers,
    token_indexers: {
      [if !has_transformer then 'tokens']: { type: 'single_id', lowercase_tokens: true },
      [if has_transformer then 'transformer']: experiment.transformer.indexer,
      characters: experiment.characters.indexer,
    },
  },

  local text_dim = experiment.word_dim + experiment.characters.dim,
  local encoding_dim = 2 * experiment.hidden_size,
  local block_options = {
    feedforward_hidden_dim: encoding_dim,
    dropout_prob: experiment.dropout,
    normalize_outputs: false,
  } + experiment.dassa_options,
  local phrase_layer = encoders.dassa(experiment.hidden_size, {}, block_options {
    num_blocks: 1,
    num_convs_per_block: 4,
    conv_kernel_size: 7,
  }),
  text_field_embedder:: {
    token_embedders: {
      [if !has_transformer then 'tokens']: {
        type: 'embedding',
        embedding_dim: experiment.embedding_dim,
        trainable: experiment.train_embeddings,
        [if experiment.pretrained_file != null then 'pretrained_file']: experiment.pretrained_file,
      },
      [if has_transformer then 'transformer']: experiment.transformer.embedder,
      characters: experiment.characters.embedder,
    },
  },
  local qanet = {
    type: 'annotated_qanet',
    text_field_embedder: experiment.text_field_embedder,
    phrase_layer: phrase_layer.config(text_dim),
    matrix_attention_layer: {
      type: 'linear',
      tensor_1_dim: encoding_dim,
      tensor_2_dim: encoding_dim,
      combination: 'x,y,x*y',
    },
    modeling_layer: experiment.encoder.config(encoding_dim),
    num_highway_layers: 2,
    dropout_prob: experiment.dropout,
  },

  local accumulation =
    if experiment.max_batch_size == null then experiment.budget.accumulation
    else std.max(experiment.budget.accumulation, std.ceil(experiment.budget.batch_size / experiment.max_batch_size)),
  local batch_size = experiment.budget.batch_size / accumulation,

  dataset_reader: reader + experiment.training_limits,
  validation_dataset_reader: reader { keep_skipped: true },
  train_data_path: error 'Must override train_data_path',
  validation_data_path: error 'Must override validation_data_path',
  // Words that are not in the training data are unknown, unless a file has vectors for them, as the authors' file has.
  datasets_for_vocab_creation: ['train'] + if experiment.pretrained_file == null then [] else
    ['validation'] + if std.objectHas(experiment, 'test_data_path') then ['test'] else [],
  // BiDAF has layers of its own.
  model: (if has_own_model then experiment.encoder.model else qanet)
         + { [if experiment.metric != null then 'metric']: experiment.metric },
  data_loader: {
    type: 'prepared',
    batch_sampler: {
      type: 'bucket', batch_size: batch_size, sorting_keys: ['passage', 'question'], padding_noise: 0.1,
    },
  },
  validation_data_loader: { type: 'prepared', batch_size: batch_size },
  trainer: {
    num_epochs: experiment.budget.epochs,
    patience: experiment.budget.patience,
    num_gradient_accumulation_steps: accumulation,
    optimizer:
      if has_transformer then experiment.transformer.optimizer(experiment.learning_rate)
      else {
        type: 'adam',
        lr: experiment.learning_rate,
        betas: [0.8, 0.999],
        eps: 1e-7,
        // QANet's L2 penalty of 1e-7. Adam adds its gradient, which takes less time than a part of the loss.
        [if !has_own_model then 'weight_decay']: 2e-7,
      },
    learning_rate_scheduler:
      if has_transformer then experiment.transformer.learning_rate_scheduler
      else { type: 'plateau', factor: 0.5, patience: experiment.budget.halving_patience },
    grad_norm: 5,
    validation_metric: experiment.validation_metric,
    [if experiment.moving_average != null then 'moving_average']: experiment.moving_average,
    callbacks: [{ type: 'console_logger', should_log_inputs: false }] + experiment.callbacks,
  },
  random_seed: 1,
  numpy_seed: 1,
  pytorch_seed: 1,
}
