// GA Reader with DASSA's self-attention, Who-did-What, strict.
// DASSA (Mihaylov & Frank, EMNLP 2019) has no such row.
local variants = import '../lib/variants.libsonnet';

(import '../lib/who_did_what.libsonnet') + variants.dassa + { training_set:: 'Strict' }
