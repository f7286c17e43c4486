// GA Reader with DASSA's self-attention, bAbI.
// DASSA (Mihaylov & Frank, EMNLP 2019) has no such row.
local variants = import '../lib/variants.libsonnet';

(import '../lib/babi.libsonnet') + variants.dassa
