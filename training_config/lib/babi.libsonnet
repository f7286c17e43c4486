// A GA Reader on one bAbI task. Settings of Coref-GRU (Dhingra et al., NAACL 2018), Appendix B, and of its authors' code,
// but validation is once an epoch (theirs: every 25 updates, of about 28 an epoch), and training always runs 30 epochs
// (theirs stops at the end of an epoch with a validation accuracy above 0.99).
// The task and the folder of the data are chosen on the command line:
//   -o '{"dataset_reader.folder": "path/to/en-valid", "dataset_reader.task": 2}'
{
  local experiment = self,

  // From the input size to a Seq2SeqEncoder of 2 * hidden_size; see encoders.libsonnet.
  passage_encoder:: error 'Must set passage_encoder',
  question_encoder:: experiment.passage_encoder,
  layers:: 3,
  hidden_size:: 64,  // of a direction
  embedding_dim:: 128,
  max_clusters:: 13,
  // Of the encoders, over their own.
  encoder_initializers:: [
    ['_(passage|question)_encoders.*weight.*', { type: 'gated_normal', gates: 3 }],
    ['_(passage|question)_encoders.*bias.*', { type: 'constant', val: 0 }],
  ],
  cluster_one_hot:: 0,  // indicators of clusters beside the embeddings

  local input_sizes = [experiment.embedding_dim + experiment.cluster_one_hot]
                      + std.repeat([2 * experiment.hidden_size], experiment.layers - 1),

  dataset_reader: {
    type: 'annotated_babi',
    folder: 'data/babi/en-valid',
    task: 1,
    annotator: { type: 'exact_match_coref', max_clusters: experiment.max_clusters },
  },
  train_data_path: 'train',
  validation_data_path: 'valid',
  test_data_path: 'test',
  evaluate_on_test: true,
  // Words and answers that training does not have are unknown: AllenNLP would take those of all three files.
  datasets_for_vocab_creation: ['train'],
  model: {
    type: 'ga_reader',
    text_field_embedder: {
      token_embedders: { tokens: { type: 'embedding', embedding_dim: experiment.embedding_dim } },
    },
    passage_encoders: [experiment.passage_encoder(size) for size in input_sizes],
    question_encoders: [experiment.question_encoder(size) for size in input_sizes],
    cluster_one_hot: experiment.cluster_one_hot,
    dropout: 0.1,
    initializer: {
      regexes: [['_text_field_embedder.*weight', { type: 'gated_normal' }]] + experiment.encoder_initializers,
    },
  },
  data_loader: { batch_sampler: { type: 'bucket', batch_size: 32, sorting_keys: ['passage'] } },
  validation_data_loader: { batch_size: 100 },
  trainer: {
    num_epochs: 30,
    optimizer: { type: 'adam', lr: 0.01 },
    // Halved after the 5th epoch and every 4 from there: about every 120 updates.
    learning_rate_scheduler: { type: 'multi_step', milestones: [5, 9, 13, 17, 21, 25, 29], gamma: 0.5 },
    grad_clipping: 10,
    validation_metric: '+accuracy',
    callbacks: [{ type: 'console_logger', should_log_inputs: false }],
  },
  random_seed: 1,
  numpy_seed: 1,
  pytorch_seed: 1,
}
