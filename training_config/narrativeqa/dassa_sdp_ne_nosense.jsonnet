// NarrativeQA, DR (NonE NoSense), in the authors' files also Sent span (2).
// DASSA (Mihaylov & Frank, EMNLP 2019), Figures 4 and 5.
local variants = import '../lib/narrativeqa_variants.libsonnet';

(import '../lib/narrativeqa.libsonnet') + variants.non_explicit(senses=false)
+ variants.record_authors_budget()
