// GA Reader with Coref-GRU: "GA w/ C-GRU" of Table 1 in Dhingra et al. (NAACL 2018).
local babi = import '../lib/babi.libsonnet';
local encoders = import '../lib/encoders.libsonnet';

babi {
  passage_encoder:: encoders.coref_gru(self.hidden_size),
  dataset_reader+: { annotation_layers: { coref: 'coref_edges' } },
}
