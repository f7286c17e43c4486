// GA Reader with MAGE-GRU, passage and question as one sequence: Dhingra et al. (2017, arXiv:1703.02620), section 3.3.
// Each layer has a single encoder, which reads both.
local variants = import '../lib/variants.libsonnet';

(import '../lib/babi.libsonnet') + variants.mage_gru_joint(16)
