// GA Reader with Coref-GRU, WikiHop, as the authors' code has it (Dhingra et al., NAACL 2018).
// ga_coref_gru follows the paper's text. Here a plain GRU reads the question. The first token of a mention reads, and
// the last one writes.
local encoders = import '../lib/encoders.libsonnet';

(import 'ga_coref_gru.jsonnet') {
  encoder+: { annotation_layers: { coref: { type: 'coref_edges', read: 'first', write: 'last' } } },
  question_encoder:: encoders.gru(self.hidden_size),
}
