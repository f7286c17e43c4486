// A GA Reader with any encoder, on any data set: what a data set's library fills in, and variants.libsonnet varies.
{
  local experiment = self,

  // From the input size to a Seq2SeqEncoder of 2 * hidden_size; see encoders.libsonnet.
  passage_encoder:: error 'Must set passage_encoder',
  question_encoder:: experiment.passage_encoder,
  hidden_size:: error 'Must set hidden_size',  // of a direction
  embedding_dim:: error 'Must set embedding_dim',
  max_clusters:: error 'Must set max_clusters',
  layers:: 3,
  stack_question:: false,
  gating:: 'gated_attention',
  read_out:: 'cloze',
  question_self_belief:: false,
  passage_self_belief:: false,
  self_belief_options:: {},
  dropout:: error 'Must set dropout',
  question_feature:: false,
  cluster_one_hot:: 0,  // indicators of clusters beside the embeddings
  // A file of word vectors of size embedding_dim: GloVe or word2vec text, plain or compressed. To be said in a config,
  //   (import 'ga_gru.jsonnet') { pretrained_file:: 'data/glove/glove.6B.100d.txt' }
  // since with an override on the command line the initializers would overwrite them.
  pretrained_file:: null,
  train_embeddings:: true,
  // Character encoder: { indexer, embedder, dim }, see characters.libsonnet.
  characters:: null,
  unknown_words:: null,  // how many there are; by default one
  annotator:: null,
  annotation_layers:: {},
  reader:: error 'Must set reader',
  batch_size:: error 'Must set batch_size',
  learning_rate:: 0.0005,
  epochs:: error 'Must set epochs',
  halve_after:: error 'Must set halve_after',  // epochs
  callbacks:: [],
  initializer:: {
    regexes: (if experiment.pretrained_file == null then experiment.embedding_initializers else [])
             + experiment.encoder_initializers,
  },
  embedding_initializers:: [],  // of words, where there is no file of vectors
  encoder_initializers:: [],

  local character_dim = if experiment.characters == null then 0 else experiment.characters.dim,
  local input_size = experiment.embedding_dim + character_dim + experiment.cluster_one_hot,
  local concatenates = std.isObject(experiment.gating)
                       && std.get(experiment.gating, 'operation', '') == 'concatenation',
  local output_size = 2 * experiment.hidden_size,
  local gated_size = if concatenates then 2 * output_size else output_size,
  local feature_size(layer) = if experiment.question_feature && layer == experiment.layers - 1 then 2 else 0,
  local passage_sizes = [
    (if layer == 0 then input_size else gated_size) + feature_size(layer)
    for layer in std.range(0, experiment.layers - 1)
  ],
  local question_sizes = [
    if layer > 0 && experiment.stack_question then output_size else input_size
    for layer in std.range(0, experiment.layers - 1)
  ],
  local self_belief(asked) = if asked then {
    encoder: { type: 'gru', input_size: input_size, hidden_size: experiment.hidden_size, bidirectional: true },
  } + experiment.self_belief_options,

  dataset_reader: experiment.reader {
    [if experiment.annotator != null then 'annotator']: experiment.annotator,
    [if experiment.annotation_layers != {} then 'annotation_layers']: experiment.annotation_layers,
    token_indexers: {
      tokens: if experiment.unknown_words == null then { type: 'single_id', lowercase_tokens: true }
      else { type: 'hashed_unknown', unknown_words: experiment.unknown_words },
      [if experiment.characters != null then 'characters']: experiment.characters.indexer,
    },
  },
  validation_dataset_reader: self.dataset_reader { keep_skipped: true },
  // Words and answers that training does not have are unknown: AllenNLP would take those of all three files.
  datasets_for_vocab_creation: ['train'],
  model: std.prune({
    type: 'ga_reader',
    text_field_embedder: {
      token_embedders: {
        tokens: {
          type: 'embedding',
          embedding_dim: experiment.embedding_dim,
          trainable: experiment.train_embeddings,
          pretrained_file: experiment.pretrained_file,
        },
        characters: if experiment.characters != null then experiment.characters.embedder,
      },
    },
    question_self_belief: self_belief(experiment.question_self_belief),
    passage_self_belief: self_belief(experiment.passage_self_belief),
  }) + {
    passage_encoders: [experiment.passage_encoder(size) for size in passage_sizes],
    question_encoders: [experiment.question_encoder(size) for size in question_sizes],
    stack_question: experiment.stack_question,
    gating: experiment.gating,
    read_out: experiment.read_out,
    dropout: experiment.dropout,
    question_feature: experiment.question_feature,
    cluster_one_hot: experiment.cluster_one_hot,
    initializer: experiment.initializer,
  },
  data_loader: {
    batch_sampler: { type: 'bucket', batch_size: experiment.batch_size, sorting_keys: ['passage'] },
  },
  validation_data_loader: { batch_size: experiment.batch_size },
  trainer: {
    num_epochs: experiment.epochs,
    optimizer: { type: 'adam', lr: experiment.learning_rate },
    learning_rate_scheduler: { type: 'multi_step', milestones: experiment.halve_after, gamma: 0.5 },
    grad_clipping: 10,
    validation_metric: '+accuracy',
    callbacks: [{ type: 'console_logger', should_log_inputs: false }] + experiment.callbacks,
  },
  random_seed: 1,
  numpy_seed: 1,
  pytorch_seed: 1,
}
