// NarrativeQA, QANet with Coref-GRU (Dhingra et al., NAACL 2018) in place of its blocks' stack.
// Nothing that was published.
local variants = import '../lib/narrativeqa_variants.libsonnet';

(import '../lib/narrativeqa.libsonnet') + variants.coref_gru
