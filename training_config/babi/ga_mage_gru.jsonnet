// GA Reader with MAGE-GRU: "GA + MAGE (16)" of Table 1 in Dhingra et al. (2017, arXiv:1703.02620).
// Reader and training are those of Coref-GRU.
local variants = import '../lib/variants.libsonnet';

(import '../lib/babi.libsonnet') + variants.mage_gru(16)
