// GA Reader with MAGE-GRU, 16 units for coreference, WikiHop.
// MAGE-GRU (Dhingra et al., 2017, arXiv:1703.02620) has no such row.
local variants = import '../lib/variants.libsonnet';

(import '../lib/wikihop.libsonnet') + variants.mage_gru(16)
