// NarrativeQA with swapped splits: eight heads see coreference, semantic roles and discourse. Not in a paper.
local variants = import '../lib/narrativeqa_variants.libsonnet';

(import 'qanet.jsonnet') + variants.coref() + variants.srl(3) + variants.explicit() + variants.non_explicit()
