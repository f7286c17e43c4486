// A GA Reader on any data set. Each hidden field is one choice. The library of a data set makes its own choices, and a
// variant changes one (see variants.libsonnet). The experiment is put together from all of them in one place, below the
// fields. So variants combine in any order.
local encoders = import 'encoders.libsonnet';
local transformers = import 'transformers.libsonnet';

{
  local experiment = self,

  // The model.
  encoder:: encoders.gru(experiment.hidden_size),  // of each layer; see encoders.libsonnet
  question_encoder:: null,  // of each layer of the question; null for the same
  hidden_size:: error 'Must set hidden_size',  // of a direction
  dassa_options:: {},  // further keys of `dassa`, if that is the encoder
  layers:: 3,
  gating:: 'gated_attention',
  self_belief:: {},  // for `question` and `passage`: further keys of the aggregation, or {}
  pointer:: null,  // the layer that points at answers; null for the model's default
  // Words that can replace each other, see babi_words.libsonnet; or { type: 'induced' }, which finds them.
  entity_substitution:: null,
  cluster_one_hot:: 0,  // indicators of clusters beside the embeddings
  stack_question:: false,
  qe_comm:: false,
  question_positions:: 0,  // in place of qe_comm: how many places in the question are told apart
  read_out:: 'cloze',
  dropout:: error 'Must set dropout',

  // Words.
  embedding_dim:: error 'Must set embedding_dim',
  // A file of word vectors of size embedding_dim: GloVe or word2vec text, plain or compressed. Set it in a config,
  //   (import 'ga_gru.jsonnet') { pretrained_file:: 'data/glove/glove.6B.100d.txt' }
  // since with an override on the command line, the initializers would overwrite the vectors.
  pretrained_file:: null,
  train_embeddings:: true,
  characters:: null,  // a character encoder, see characters.libsonnet
  oov_buckets:: null,  // how many there are; null for one
  transformer:: null,  // a pretrained one in place of word embeddings, see transformers.libsonnet
  assert experiment.transformer == null || experiment.entity_substitution == null :
         'Found entity substitution beside a transformer, which reads the words as they are: leave one of the two out',

  // Weights at the start.
  embedding_initializers:: [],  // of words, if there is no file of vectors
  encoder_initializers:: [],  // of encoders that have none of their own

  // Data. `corruption` corrupts the annotator's clusters: keys of `corrupted_coref`, {} for its defaults.
  reader:: error 'Must set reader',
  annotator:: null,
  corruption:: null,
  max_clusters:: error 'Must set max_clusters',

  // Training.
  batch_size:: error 'Must set batch_size',
  updates_per_epoch:: null,  // then there is a validation; null for all training questions
  learning_rate:: 0.0005,
  epochs:: error 'Must set epochs',
  milestones:: error 'Must set milestones',  // epochs
  callbacks:: [],

  local induces = experiment.entity_substitution != null
                  && std.get(experiment.entity_substitution, 'type', 'listed') == 'induced',
  local has_transformer = experiment.transformer != null,
  local annotator =
    if experiment.corruption == null then experiment.annotator
    else { type: 'corrupted_coref', annotator: experiment.annotator } + experiment.corruption,
  local annotation_layers =
    experiment.encoder.annotation_layers
    + (if experiment.cluster_one_hot > 0 then { coref_clusters: 'coref_clusters' } else {}),
  local initializers =
    (if experiment.pretrained_file == null && !has_transformer then experiment.embedding_initializers else [])
    + (if experiment.characters == null then [] else std.get(experiment.characters, 'initializers', []))
    + (if experiment.encoder.initializes_itself then [] else experiment.encoder_initializers),

  local character_dim = if experiment.characters == null then 0 else experiment.characters.dim,
  local word_dim = if has_transformer then experiment.transformer.dim else experiment.embedding_dim,
  local input_size = word_dim + character_dim + experiment.cluster_one_hot,
  local concatenates = std.isObject(experiment.gating)
                       && std.get(experiment.gating, 'operation', '') == 'concatenation',
  local output_size = 2 * experiment.hidden_size,
  local gated_size = if concatenates then 2 * output_size else output_size,
  local compares_words = experiment.qe_comm || experiment.question_positions > 0,
  local feature_size(layer) =
    if layer < experiment.layers - 1 then 0
    else if experiment.question_positions > 0 then 16
    else if experiment.qe_comm then 2
    else 0,
  local passage_size(layer) = (if layer == 0 then input_size else gated_size) + feature_size(layer),
  local question_size(layer) = if layer > 0 && experiment.stack_question then output_size else input_size,
  local question_encoder =
    if experiment.question_encoder == null then experiment.encoder else experiment.question_encoder,
  local encoder_of_each_layer(encoder, size) = [
    encoder.config(size(layer))
    for layer in std.range(0, experiment.layers - 1)
  ],
  local self_belief(of) =
    { encoder: encoders.gru(experiment.hidden_size).config(input_size) } + experiment.self_belief[of],

  dataset_reader: experiment.reader {
    [if annotator != null then 'annotator']: annotator,
    [if annotation_layers != {} then 'annotation_layers']: annotation_layers,
    token_indexers: {
      // A question feature compares words. Only the transformer embeds them.
      [if !has_transformer || compares_words then 'tokens']:
        if experiment.oov_buckets == null then { type: 'single_id', lowercase_tokens: true }
        else { type: 'oov_buckets', oov_buckets: experiment.oov_buckets },
      [if has_transformer then 'transformer']: experiment.transformer.indexer,
      [if experiment.characters != null then 'characters']: experiment.characters.indexer,
    },
  },
  validation_dataset_reader: self.dataset_reader { keep_skipped: true },
  // Words and answers that are not in the training data are unknown. AllenNLP would take those of all three files.
  datasets_for_vocab_creation: ['train'],
  model: {
    type: 'ga_reader',
    text_field_embedder: {
      token_embedders: {
        [if !has_transformer || compares_words then 'tokens']:
          if has_transformer then { type: 'empty' } else {
            type: 'embedding',
            embedding_dim: experiment.embedding_dim,
            trainable: experiment.train_embeddings,
            [if experiment.pretrained_file != null then 'pretrained_file']: experiment.pretrained_file,
          },
        [if has_transformer then 'transformer']: experiment.transformer.embedder,
        [if experiment.characters != null then 'characters']: experiment.characters.embedder,
      },
    },
    passage_encoders: encoder_of_each_layer(experiment.encoder, passage_size),
    [if !experiment.encoder.joint then 'question_encoders']: encoder_of_each_layer(question_encoder, question_size),
    stack_question: experiment.stack_question,
    gating: experiment.gating,
    [if std.objectHas(experiment.self_belief, 'question') then 'question_self_belief']: self_belief('question'),
    [if std.objectHas(experiment.self_belief, 'passage') then 'passage_self_belief']: self_belief('passage'),
    read_out: experiment.read_out,
    dropout: experiment.dropout,
    qe_comm: experiment.qe_comm,
    [if experiment.question_positions > 0 then 'question_positions']: experiment.question_positions,
    cluster_one_hot: experiment.cluster_one_hot,
    [if experiment.entity_substitution != null then 'entity_substitution']: experiment.entity_substitution,
    [if experiment.pointer != null then 'pointer']: experiment.pointer,
    initializer: {
      regexes: initializers,
      [if has_transformer then 'prevent_regexes']: [transformers.weights],
    },
  },
  data_loader: {
    type: 'prepared',
    batch_sampler: { type: 'bucket', batch_size: experiment.batch_size, sorting_keys: ['passage'] },
    [if experiment.updates_per_epoch != null then 'batches_per_epoch']: experiment.updates_per_epoch,
  },
  validation_data_loader: { type: 'prepared', batch_size: experiment.batch_size },
  trainer: {
    num_epochs: experiment.epochs,
    optimizer:
      if has_transformer then experiment.transformer.optimizer(experiment.learning_rate)
      else { type: 'adam', lr: experiment.learning_rate },
    learning_rate_scheduler:
      if has_transformer then experiment.transformer.learning_rate_scheduler
      else { type: 'multi_step', milestones: experiment.milestones, gamma: 0.5 },
    grad_clipping: 10,
    validation_metric: '+accuracy',
    callbacks:
      [{ type: 'console_logger', should_log_inputs: false }]
      + (if induces then [{ type: 'induce_substitution' }] else [])
      + experiment.callbacks,
  },
  random_seed: 1,
  numpy_seed: 1,
  pytorch_seed: 1,
}
