// NarrativeQA, DASSA with explicit discourse relations: "DR (Exp)".
// DASSA (Mihaylov & Frank, EMNLP 2019), Tables 1 and 2.
local variants = import '../lib/narrativeqa_variants.libsonnet';

(import '../lib/narrativeqa.libsonnet') + variants.explicit()
+ variants.record_authors_budget({ batch_size: 4, accumulation: 4 })
