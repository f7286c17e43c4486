// GA Reader with Coref-GRU, LAMBADA, as the authors' code has it (Dhingra et al., NAACL 2018).
// When a passage is read backward, it starts from the state of the question's last token only if the question is one of
// the longest, otherwise from zeros. The first token of a mention reads, and the last one writes. There are 14 clusters
// (in 15 slots), and the rate is halved after each epoch from the third on. Epsilon is smaller. The code pads all
// questions to the longest one in the data. That of the development set has 70 tokens; we did not have the training
// set.
local encoders = import '../lib/encoders.libsonnet';

(import 'ga_coref_gru.jsonnet') {
  encoder:: encoders.coref_gru(self.hidden_size, { questions_padded_to: 70 }) {
    annotation_layers: { coref: { type: 'coref_edges', read: 'first', write: 'last' } },
  },
  max_clusters:: 14,
  milestones:: [3, 4],
  pointer:: { type: 'attention_sum', epsilon: 1e-30 },
}
