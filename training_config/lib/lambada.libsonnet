// A GA Reader on LAMBADA as reading comprehension (Chu et al. 2017), with the settings of Coref-GRU's paper;
// ga_coref_gru_as_coded has those of the authors' code. docs/results/departures.md says what differs. Their models
// begin with GloVe vectors: see pretrained_file in ga.libsonnet. Files that `coref-rc annotate` has written keep their
// own clusters, and the annotator is not used.
local coref_gru_paper = import 'coref_gru_paper.libsonnet';

coref_gru_paper {
  local experiment = self,

  hidden_size:: 256,
  embedding_dim:: 100,
  max_clusters:: 15,
  dropout:: 0.2,
  annotator:: { type: 'sieve_coref', descriptions: false, max_clusters: experiment.max_clusters },
  reader:: { type: 'annotated_lambada' },
  train_data_path: 'data/lambada/lambada_training_reading_comprehension.txt',
  validation_data_path: 'data/lambada/lambada_development_plain_text.txt',
  test_data_path: 'data/lambada/lambada_test_plain_text.txt',
  evaluate_on_test: true,
  batch_size:: 64,
  epochs:: 5,
  milestones:: [2, 4],
}
