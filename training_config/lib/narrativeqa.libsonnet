// QANet on NarrativeQA's summaries, with any modelling layer, as DASSA (Mihaylov & Frank, EMNLP 2019) has it.
// docs/results/departures.md says what differs: the budget, the spans of training, the annotators. The authors' models
// begin with GloVe vectors, which are not trained: see pretrained_file in ga.libsonnet. Files that they have annotated
// keep their annotations. Most settings are in qanet.libsonnet, for all data sets whose answers are spans.
local qanet = import 'qanet.libsonnet';

qanet {
  local experiment = self,

  text:: 'raw',  // the columns of official files; 'tokenized' if those of 'raw' are empty
  data_set:: { type: 'annotated_narrativeqa', text: experiment.text },
  validation_metric:: '+rouge_l',
  authors_budget:: error 'Found no budget of the authors in this config, expected variants.record_authors_budget(...)',

  train_data_path: 'data/narrativeqa/train',
  validation_data_path: 'data/narrativeqa/valid',
  test_data_path: 'data/narrativeqa/test',
  evaluate_on_test: true,
}
