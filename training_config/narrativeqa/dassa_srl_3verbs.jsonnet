// NarrativeQA, DASSA with semantic roles of three verbs: "SRL".
// DASSA (Mihaylov & Frank, EMNLP 2019), Table 2.
local variants = import '../lib/narrativeqa_variants.libsonnet';

(import '../lib/narrativeqa.libsonnet') + variants.srl(3, pad_views=false)
+ variants.record_authors_budget({ epochs: 50, patience: 10 })
