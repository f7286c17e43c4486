// GA Reader with MAGE-GRU, 32 units for coreference, Daily Mail.
// MAGE-GRU (Dhingra et al., 2017, arXiv:1703.02620) has no such row.
local variants = import '../lib/variants.libsonnet';

(import '../lib/daily_mail.libsonnet') + variants.mage_gru(32)
