// NarrativeQA, DASSA with coreference: "Coref".
// DASSA (Mihaylov & Frank, EMNLP 2019), Table 2.
local variants = import '../lib/narrativeqa_variants.libsonnet';

(import '../lib/narrativeqa.libsonnet') + variants.coref(copies=3)
+ variants.record_authors_budget()
