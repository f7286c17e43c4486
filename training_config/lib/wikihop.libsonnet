// A GA Reader on WikiHop (QAngaroo v1.1), with the settings of Coref-GRU. The authors' models begin with GloVe vectors:
// see pretrained_file in ga.libsonnet. Training differs in two ways. The learning rate is halved after an epoch (43,738
// questions, 2,734 updates; theirs: every 2,500 updates), and validation is once an epoch (theirs: every 500 updates).
// Their clusters are those of the Berkeley Entity Resolution System; here a sieve finds them, which needs no model. In
// ga_coref_gru a Coref-GRU also reads the question, from the passage's states, and all tokens of a mention read and
// write. ga_coref_gru_as_coded does what the authors' code does. Files that `coref-rc annotate` has written keep their
// own clusters, and the annotator is not used. The docstring of `annotated_wikihop` says what differs in how questions
// are read.
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
  epochs:: 5,
  milestones:: [1, 2, 3, 4],
}
