// NarrativeQA with swapped splits: one head sees coreference. Not in a paper.
local variants = import '../lib/narrativeqa_variants.libsonnet';

(import 'qanet.jsonnet') + variants.coref()
