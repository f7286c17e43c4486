// Self-Belief Aggregation of the passage, CNN.
// "SBA on D(K)" of Table 3 in CG+SBA (NAACL-SRW 2018).
local variants = import '../lib/variants.libsonnet';

(import '../lib/cnn.libsonnet') + variants.sba_passage
