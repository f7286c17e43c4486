// NarrativeQA, DASSA with semantic roles, explicit discourse relations and coreference: "SRL + DR (Exp) + Coref".
// DASSA (Mihaylov & Frank, EMNLP 2019), Table 2.
local variants = import '../lib/narrativeqa_variants.libsonnet';

(import '../lib/narrativeqa.libsonnet') + variants.coref() + variants.srl(3) + variants.explicit()
+ variants.record_authors_budget()
