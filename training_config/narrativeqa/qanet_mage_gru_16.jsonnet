// NarrativeQA, QANet with MAGE-GRU (Dhingra et al., 2017, arXiv:1703.02620) in place of its blocks' stack.
// Nothing that was published.
local variants = import '../lib/narrativeqa_variants.libsonnet';

(import '../lib/narrativeqa.libsonnet') + variants.mage_gru(16)
