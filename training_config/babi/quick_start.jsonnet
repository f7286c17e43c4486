// To begin with: the GA Reader with Coref-GRU, for a few epochs, on simulated stories like those of bAbI's task 2.
(import 'ga_coref_gru.jsonnet') {
  reader+:: { folder: 'bundled://simulated', task: 2 },
  epochs:: 12,
}
