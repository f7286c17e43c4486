// NarrativeQA, DASSA with explicit discourse relations, but not their senses: "DR (Exp NoSense)".
// DASSA (Mihaylov & Frank, EMNLP 2019), Figures 4 and 5.
local variants = import '../lib/narrativeqa_variants.libsonnet';

(import '../lib/narrativeqa.libsonnet') + variants.explicit(senses=false)
+ variants.record_authors_budget()
