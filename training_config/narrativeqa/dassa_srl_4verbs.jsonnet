// NarrativeQA, DASSA with semantic roles of four verbs: "SRL".
// DASSA (Mihaylov & Frank, EMNLP 2019), Figures 4 and 5.
local variants = import '../lib/narrativeqa_variants.libsonnet';

(import '../lib/narrativeqa.libsonnet') + variants.srl(4, pad_views=false)
+ variants.record_authors_budget({ epochs: 50, patience: 10 })
