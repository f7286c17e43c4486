// `make train`: the GA Reader with Coref-GRU on simulated stories in the manner of bAbI's task 2, in a few epochs.
(import 'ga_coref_gru.jsonnet') {
  dataset_reader+: { folder: 'allennlp_coref_rc/data/babi/simulated', task: 2 },
  trainer+: { num_epochs: 12 },
}
