// NarrativeQA with swapped splits: two heads see explicit discourse relations. Not in a paper.
local variants = import '../lib/narrativeqa_variants.libsonnet';

(import 'qanet.jsonnet') + variants.explicit()
