// NarrativeQA, DASSA with semantic roles and non-explicit discourse relations: "SRL + DR (NonE)".
// DASSA (Mihaylov & Frank, EMNLP 2019), Table 2.
local variants = import '../lib/narrativeqa_variants.libsonnet';

(import '../lib/narrativeqa.libsonnet') + variants.srl(3) + variants.non_explicit()
+ variants.record_authors_budget()
