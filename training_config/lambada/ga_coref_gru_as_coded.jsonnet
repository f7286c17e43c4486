// GA Reader with Coref-GRU, LAMBADA, as the authors' code has it (Dhingra et al., NAACL 2018).
// ga_coref_gru follows the paper's text. Here, backward, a passage starts from the state of the last token where the
// question is one of the longest, and from nothing elsewhere; of a mention the first token reads and the last one
// writes; and epsilon is smaller. The code pads all questions to the longest one of the data: that of the development
// set has 70 tokens, that of the training set was not at hand.
local encoders = import '../lib/encoders.libsonnet';

(import 'ga_coref_gru.jsonnet') {
  encoder:: encoders.coref_gru(self.hidden_size, { questions_padded_to: 70 }) {
    annotation_layers: { coref: { type: 'coref_edges', read: 'first', write: 'last' } },
  },
  pointer:: { type: 'attention_sum', epsilon: 1e-30 },
}
