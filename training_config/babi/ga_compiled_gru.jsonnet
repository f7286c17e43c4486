// GA Reader with GRU, run by our compiled recurrence: ga_gru's model, several times as fast on a CPU.
local encoders = import '../lib/encoders.libsonnet';
local variants = import '../lib/variants.libsonnet';

(import '../lib/babi.libsonnet') + variants.gru + {
  local experiment = self,
  passage_encoder:: encoders.mage_gru({ sequential: experiment.hidden_size }),
}
