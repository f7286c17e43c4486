// GA Reader with Coref-GRU that attends to the types of edges: coreference, triples, and inverse triples.
// Not in the paper, which reads only coreference.
local encoders = import '../lib/encoders.libsonnet';

(import 'ga_coref_gru.jsonnet') + (import '../lib/babi_triples.libsonnet') {
  encoder:: encoders.typed_coref_gru(self.hidden_size),
}
