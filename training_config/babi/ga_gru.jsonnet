// GA Reader with GRU: "GA w/ GRU" of Table 1 in Dhingra et al. (NAACL 2018).
local babi = import '../lib/babi.libsonnet';
local encoders = import '../lib/encoders.libsonnet';

babi { passage_encoder:: encoders.gru(self.hidden_size) }
