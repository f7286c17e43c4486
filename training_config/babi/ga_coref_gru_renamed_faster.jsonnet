// ga_coref_gru_renamed with a layer less and the paper's learning rate: it finds the paths of task 19, and has the
// fewest errors of all readers here.
(import 'ga_coref_gru_renamed.jsonnet') {
  layers:: 3,
  learning_rate:: 0.01,
}
