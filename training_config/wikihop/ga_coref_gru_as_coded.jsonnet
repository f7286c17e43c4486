// GA Reader with Coref-GRU (Dhingra et al., NAACL 2018) on WikiHop as the authors' code has it, beside ga_coref_gru,
// which follows the paper's text: a plain GRU reads the question, and of a mention the first token reads and the last
// one writes.
local encoders = import '../lib/encoders.libsonnet';

(import 'ga_coref_gru.jsonnet') {
  encoder+: { annotation_layers: { coref: { type: 'coref_edges', read: 'first', write: 'last' } } },
  question_encoder:: encoders.gru(self.hidden_size),
}
