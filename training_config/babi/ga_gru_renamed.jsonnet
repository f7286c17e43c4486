// GA Reader with GRU, by our compiled recurrence, whose names are exchanged in training; see babi_renamed.libsonnet.
local encoders = import '../lib/encoders.libsonnet';
local variants = import '../lib/variants.libsonnet';

(import '../lib/babi_renamed.libsonnet') + variants.gru + {
  local experiment = self,
  passage_encoder:: encoders.mage_gru({ sequential: experiment.hidden_size }),
}
