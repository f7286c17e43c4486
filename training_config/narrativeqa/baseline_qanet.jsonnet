// NarrativeQA, QANet.
// DASSA (Mihaylov & Frank, EMNLP 2019), Tables 1 and 2.
local variants = import '../lib/narrativeqa_variants.libsonnet';

(import '../lib/narrativeqa.libsonnet')
+ variants.record_authors_budget({ patience: 10, halving_patience: 4, accumulation: 8 })
