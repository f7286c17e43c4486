// NarrativeQA, DASSA with non-explicit discourse relations: "DR (NonE)".
// DASSA (Mihaylov & Frank, EMNLP 2019), Table 2.
local variants = import '../lib/narrativeqa_variants.libsonnet';

(import '../lib/narrativeqa.libsonnet') + variants.non_explicit()
+ variants.record_authors_budget()
