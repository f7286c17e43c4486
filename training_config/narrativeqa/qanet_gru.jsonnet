// NarrativeQA, QANet with a bidirectional GRU in place of its blocks' stack.
// Nothing that was published.
local variants = import '../lib/narrativeqa_variants.libsonnet';

(import '../lib/narrativeqa.libsonnet') + variants.gru
