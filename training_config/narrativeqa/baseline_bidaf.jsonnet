// NarrativeQA, the BiDAF of allennlp-models.
// DASSA (Mihaylov & Frank, EMNLP 2019), Table 1 and Figures 4 and 5.
local variants = import '../lib/narrativeqa_variants.libsonnet';

(import '../lib/narrativeqa.libsonnet') + variants.bidaf
+ variants.record_authors_budget({ patience: 10, halving_patience: 4, accumulation: 4 })
