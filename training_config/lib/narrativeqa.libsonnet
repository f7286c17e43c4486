// QANet on NarrativeQA's summaries, with any modelling layer. Settings of DASSA (Mihaylov & Frank, EMNLP 2019) and of its
// authors' code, but for the budget, which is the same for all models here (theirs: `published_budget`). Theirs begin
// with GloVe vectors, not trained: see pretrained_file in ga.libsonnet. Annotations are of this package's own annotators,
// theirs of others; those of a file that `allennlp annotate` has written, or of theirs, are taken as they are.
local characters = import 'characters.libsonnet';
local encoders = import 'encoders.libsonnet';

{
  local experiment = self,

  embedding_dim:: 100,
  pretrained_file:: null,
  train_embeddings:: experiment.pretrained_file == null,
  characters:: characters.bytes(),
  hidden_size:: 64,  // of a direction
  blocks:: 7,
  dropout:: 0.1,

  // From the input size to a Seq2SeqEncoder of 2 * hidden_size; see encoders.libsonnet.
  modeling_layer:: encoders.dassa(experiment.hidden_size, experiment.heads, experiment.block_options {
    num_blocks: experiment.blocks,
    annotated_blocks: experiment.annotated_blocks,
  } + experiment.modeling_options),
  modeling_options:: {},
  heads:: {},  // those that see annotations: by annotation layer, how many
  annotated_blocks:: [1, 3, 5],
  annotation_layers:: {},
  block_options:: {
    feedforward_hidden_dim: 2 * experiment.hidden_size,
    dropout_prob: experiment.dropout,
    normalize_outputs: false,
  } + experiment.dassa_options,
  dassa_options:: {},

  // Of these the ones that annotation layers need annotate, in this order. SRL is that of two models, trained before:
  // see training_config/annotators.
  annotators:: {
    coref: { type: 'sieve_coref' },
    discourse: { type: 'connective_discourse', implicit: true, paper_like: true },
    srl: {
      type: 'trained_srl',
      predicates: 'output/srl_predicates/model.tar.gz',
      roles: 'output/srl_roles/model.tar.gz',
    },
  },
  needs:: [],
  annotator:: if experiment.needs == [] then null else {
    type: 'compose',
    annotators: [experiment.annotators[name] for name in std.set(experiment.needs)],
  },
  // The columns of the official files; 'tokenized' where the raw ones are empty.
  text:: 'raw',
  training_limits:: { max_passage_length: 800, max_question_length: 50 },

  // An update is made of accumulation batches, together as large as the budget says.
  equal_budget:: { batch_size: 32, epochs: 70, patience: 20, halving_patience: 8 },
  published_budget:: error 'The authors published no such model',
  budget:: experiment.equal_budget,
  accumulation:: 1,
  moving_average:: null,
  learning_rate:: 0.001,
  regularizer:: { regexes: [['.*', { type: 'l2', alpha: 1e-7 }]] },

  local text_dim = experiment.embedding_dim + experiment.characters.dim,
  local encoding_dim = 2 * experiment.hidden_size,
  local batch_size = experiment.budget.batch_size / experiment.accumulation,
  local reader = {
    type: 'annotated_narrativeqa',
    text: experiment.text,
    [if experiment.annotator != null then 'annotator']: experiment.annotator,
    [if experiment.annotation_layers != {} then 'annotation_layers']: experiment.annotation_layers,
    token_indexers: {
      tokens: { type: 'single_id', lowercase_tokens: true },
      characters: experiment.characters.indexer,
    },
  },
  text_field_embedder:: {
    token_embedders: {
      tokens: {
        type: 'embedding',
        embedding_dim: experiment.embedding_dim,
        trainable: experiment.train_embeddings,
        [if experiment.pretrained_file != null then 'pretrained_file']: experiment.pretrained_file,
      },
      characters: experiment.characters.embedder,
    },
  },

  dataset_reader: reader + experiment.training_limits,
  validation_dataset_reader: reader { keep_skipped: true },
  train_data_path: 'data/narrativeqa/train',
  validation_data_path: 'data/narrativeqa/valid',
  test_data_path: 'data/narrativeqa/test',
  evaluate_on_test: true,
  // Words that training does not have are unknown, unless a file has vectors for them, as the authors' has.
  datasets_for_vocab_creation: ['train'] + if experiment.pretrained_file == null then [] else
    ['validation'] + if std.objectHas(experiment, 'test_data_path') then ['test'] else [],
  model: {
    type: 'annotated_qanet',
    text_field_embedder: experiment.text_field_embedder,
    phrase_layer: encoders.dassa(experiment.hidden_size, {}, experiment.block_options {
      num_blocks: 1,
      num_convs_per_block: 4,
      conv_kernel_size: 7,
    })(text_dim),
    matrix_attention_layer: {
      type: 'linear',
      tensor_1_dim: encoding_dim,
      tensor_2_dim: encoding_dim,
      combination: 'x,y,x*y',
    },
    modeling_layer: experiment.modeling_layer(encoding_dim),
    num_highway_layers: 2,
    dropout_prob: experiment.dropout,
    regularizer: experiment.regularizer,
  },
  data_loader: {
    batch_sampler: {
      type: 'bucket', batch_size: batch_size, sorting_keys: ['passage', 'question'], padding_noise: 0.1,
    },
  },
  validation_data_loader: { batch_size: batch_size },
  trainer: {
    num_epochs: experiment.budget.epochs,
    patience: experiment.budget.patience,
    num_gradient_accumulation_steps: experiment.accumulation,
    optimizer: { type: 'adam', lr: experiment.learning_rate, betas: [0.8, 0.999], eps: 1e-7 },
    learning_rate_scheduler: { type: 'plateau', factor: 0.5, patience: experiment.budget.halving_patience },
    grad_norm: 5,
    validation_metric: '+rouge_l',
    [if experiment.moving_average != null then 'moving_average']: experiment.moving_average,
    callbacks: [{ type: 'console_logger', should_log_inputs: false }],
  },
  random_seed: 1,
  numpy_seed: 1,
  pytorch_seed: 1,
}
