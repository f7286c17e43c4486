// NarrativeQA with swapped splits: three heads see semantic roles. Not in a paper.
local variants = import '../lib/narrativeqa_variants.libsonnet';

(import 'qanet.jsonnet') + variants.srl(3)
