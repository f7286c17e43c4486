// NarrativeQA, DASSA whose heads attend within three sentences: "Sent span (3)".
// DASSA (Mihaylov & Frank, EMNLP 2019), Figures 4 and 5.
local variants = import '../lib/narrativeqa_variants.libsonnet';

(import '../lib/narrativeqa.libsonnet') + variants.sentence_spans(3)
+ variants.record_authors_budget()
