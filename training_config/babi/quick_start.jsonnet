// The GA Reader with Coref-GRU on simulated stories in the manner of bAbI's task 2, in a few epochs: for a start.
(import 'ga_coref_gru.jsonnet') {
  reader+:: { folder: 'bundled://simulated', task: 2 },
  epochs:: 12,
}
