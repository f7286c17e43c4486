// NarrativeQA with swapped splits: four heads see all discourse relations. Not in a paper.
local variants = import '../lib/narrativeqa_variants.libsonnet';

(import 'qanet.jsonnet') + variants.explicit() + variants.non_explicit()
