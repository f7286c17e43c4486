// A GA Reader on one bAbI task, with the settings of Coref-GRU; docs/results/departures.md says what differs. The
// command line gives the task and the folder of the data:
//   -o '{"dataset_reader.folder": "path/to/en-valid", "dataset_reader.task": 2}'
local coref_gru_paper = import 'coref_gru_paper.libsonnet';

coref_gru_paper {
  local experiment = self,

  hidden_size:: 64,
  embedding_dim:: 128,
  max_clusters:: 13,
  read_out:: 'final_states',
  dropout:: 0.1,
  embedding_initializers:: [['_text_field_embedder.*weight', { type: 'gated_normal' }]],
  annotator:: { type: 'exact_match_coref', max_clusters: experiment.max_clusters },
  reader:: { type: 'annotated_babi', folder: 'data/babi/en-valid', task: 1 },
  train_data_path: 'train',
  validation_data_path: 'valid',
  test_data_path: 'test',
  evaluate_on_test: true,
  batch_size:: 32,
  validation_data_loader+: { batch_size: 100 },
  learning_rate:: 0.01,
  epochs:: 30,
  callbacks:: [{ type: 'stop_above', value: 0.99 }],
  // After the 5th epoch, and then after every 4 epochs of 29 updates, as in the code: the paper's "every 120 updates".
  milestones:: [5, 9, 13, 17, 21, 25, 29],
  // No question is skipped, so one reader reads all files, and the task is given only once.
  validation_dataset_reader:: null,
}
