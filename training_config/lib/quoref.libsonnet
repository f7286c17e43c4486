// QANet on Quoref (Dasigi et al. 2019), with any modelling layer. The settings are not those of a paper, but those of
// NarrativeQA with a shorter budget. The answers of the test set are not published. Models of one span are trained with
// the first span of an answer; the metric expects all of them. Most settings are in qanet.libsonnet, for all
// data sets whose answers are spans.
local qanet = import 'qanet.libsonnet';

qanet {
  data_set:: { type: 'annotated_quoref' },
  metric:: { type: 'quoref' },
  validation_metric:: '+f1',
  equal_budget:: { batch_size: 32, epochs: 40, patience: 10, halving_patience: 4, accumulation: 1 },

  train_data_path: 'data/quoref/quoref-train-v0.1.json',
  validation_data_path: 'data/quoref/quoref-dev-v0.1.json',
}
