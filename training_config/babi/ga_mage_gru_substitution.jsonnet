// GA Reader with MAGE-GRU (16). Names are exchanged in training. Not in a paper; see babi_substitution.libsonnet.
local variants = import '../lib/variants.libsonnet';

(import '../lib/babi_substitution.libsonnet') + variants.mage_gru(16)
