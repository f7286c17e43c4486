// GA Reader with DASSA's self-attention, Daily Mail.
// DASSA (Mihaylov & Frank, EMNLP 2019) has no such row.
local variants = import '../lib/variants.libsonnet';

(import '../lib/daily_mail.libsonnet') + variants.dassa
