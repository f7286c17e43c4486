// NarrativeQA, DR (NonE NoSense), which Table 2 calls Sent span (2).
// DASSA (Mihaylov & Frank, EMNLP 2019), Table 2.
local variants = import '../lib/narrativeqa_variants.libsonnet';

(import '../lib/narrativeqa.libsonnet') + variants.non_explicit(senses=false) + variants.authors()
