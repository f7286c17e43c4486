// GA Reader with DASSA's self-attention, WikiHop.
// DASSA (Mihaylov & Frank, EMNLP 2019) has no such row.
local variants = import '../lib/variants.libsonnet';

(import '../lib/wikihop.libsonnet') + variants.dassa
