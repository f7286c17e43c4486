// GA Reader with Coref-GRU, WikiHop, as the authors' code has it (Dhingra et al., NAACL 2018).
// A plain GRU reads the question. The first token of a mention reads, and the last one writes. There are 49 clusters
// (in 50 slots, one of which is the sequence), and a candidate is wherever one of its words is.
local encoders = import '../lib/encoders.libsonnet';

(import 'ga_coref_gru.jsonnet') {
  encoder+: { annotation_layers: { coref: { type: 'coref_edges', read: 'first', write: 'last' } } },
  question_encoder:: encoders.gru(self.hidden_size),
  max_clusters:: 49,
  reader+: { bag_of_tokens: true },
}
