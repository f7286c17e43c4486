// NarrativeQA, DASSA with 12 heads, which see semantic roles, all discourse relations and coreference.
// "SRL + DR (All) + Coref" of DASSA (Mihaylov & Frank, EMNLP 2019), Table 2. The authors' config is not published. We
// guess that all blocks have 12 heads, and that heads are as large as those of models with 8 heads.
local variants = import '../lib/narrativeqa_variants.libsonnet';

(import '../lib/narrativeqa.libsonnet') + variants.coref() + variants.srl(3) + variants.non_explicit()
+ variants.explicit() + variants.heads_in_all_blocks(12)
