// GA Reader with MAGE-GRU (16). Names are exchanged in training. Not in a paper; see babi_renamed.libsonnet.
local variants = import '../lib/variants.libsonnet';

(import '../lib/babi_renamed.libsonnet') + variants.mage_gru(16)
