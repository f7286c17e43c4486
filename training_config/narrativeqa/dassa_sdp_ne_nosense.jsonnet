// NarrativeQA, DASSA with non-explicit discourse relations, but not their senses: "DR (NonE NoSense)".
// DASSA (Mihaylov & Frank, EMNLP 2019), Figures 4 and 5. The authors' files also call it Sent span (2).
local variants = import '../lib/narrativeqa_variants.libsonnet';

(import '../lib/narrativeqa.libsonnet') + variants.non_explicit(senses=false)
+ variants.record_authors_budget()
