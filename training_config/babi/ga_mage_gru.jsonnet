// GA Reader with MAGE-GRU: "GA + MAGE (16)" of Table 1 in Dhingra et al. (2017, arXiv:1703.02620).
// Reader and training are those of Coref-GRU.
local babi = import '../lib/babi.libsonnet';
local encoders = import '../lib/encoders.libsonnet';

babi {
  coref_size:: 16,
  state_sizes:: { sequential: $.hidden_size - $.coref_size, coref: $.coref_size },
  encoder_options:: {},
  passage_encoder:: encoders.mage_gru(self.state_sizes, self.encoder_options),
  encoder_initializers:: [],
  dataset_reader+: { annotation_layers: { coref: 'coref_edges' } },
}
