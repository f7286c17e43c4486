// A GA Reader on CNN (Hermann et al. 2015).
local ga_paper = import 'ga_paper.libsonnet';

ga_paper {
  local experiment = self,

  hidden_size:: 256,
  max_clusters:: 100,  // the most clusters, which are entities
  dropout:: 0.2,
  annotator:: { type: 'entity_marker_coref', max_clusters: experiment.max_clusters },
  reader:: { type: 'annotated_cnn_dailymail' },
  train_data_path: 'data/cnn/questions/training',
  validation_data_path: 'data/cnn/questions/validation',
  test_data_path: 'data/cnn/questions/test',
}
