// A GA Reader on Who-did-What (Onishi et al. 2016), strict or relaxed.
local characters = import 'characters.libsonnet';
local ga_paper = import 'ga_paper.libsonnet';

ga_paper {
  local experiment = self,

  training_set:: error 'Must set training_set',  // Strict or Relaxed
  hidden_size:: 128,
  max_clusters:: 50,
  dropout:: 0.3,
  qe_comm:: true,
  characters:: characters.gru(experiment.embedding_dim / 2),
  train_embeddings:: experiment.pretrained_file == null,  // theirs are GloVe's and not trained
  annotator:: { type: 'sieve_coref', descriptions: false, max_clusters: experiment.max_clusters },
  reader:: { type: 'annotated_who_did_what', bag_of_tokens: true },
  train_data_path: 'data/who_did_what/%s/train.xml' % experiment.training_set,
  validation_data_path: 'data/who_did_what/%s/val.xml' % experiment.training_set,
  test_data_path: 'data/who_did_what/%s/test.xml' % experiment.training_set,
}
