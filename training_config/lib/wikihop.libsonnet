// A GA Reader on WikiHop (QAngaroo v1.1), with the settings of Coref-GRU's paper; ga_coref_gru_as_coded has those of
// the authors' code. docs/results/departures.md says what differs, and the docstring of `annotated_wikihop` what
// differs in how questions are read. Their models begin with GloVe vectors: see pretrained_file in ga.libsonnet. Files
// that `coref-rc annotate` has written keep their own clusters, and the annotator is not used.
local characters = import 'characters.libsonnet';
local coref_gru_paper = import 'coref_gru_paper.libsonnet';

coref_gru_paper {
  local experiment = self,

  hidden_size:: 64,
  embedding_dim:: 100,
  max_clusters:: 50,
  max_passage_length:: 2200,
  read_out:: 'final_states',
  dropout:: 0.2,
  qe_comm:: true,
  characters:: characters.cnn,
  oov_buckets:: 100,
  annotator:: { type: 'sieve_coref', descriptions: false },
  reader:: {
    type: 'annotated_wikihop',
    max_clusters: experiment.max_clusters,
    max_passage_length: experiment.max_passage_length,
  },
  train_data_path: 'data/wikihop/train.json',
  validation_data_path: 'data/wikihop/dev.json',
  vocabulary: { max_vocab_size: { tokens: 100000 } },
  batch_size:: 16,
  // The code validates every 500 updates, whatever the number of training questions, and halves the rate every 2,500.
  // 27 such epochs read all 43,738 questions almost five times.
  updates_per_epoch:: 500,
  epochs:: 27,
  milestones:: [5, 10, 15, 20, 25],
}
