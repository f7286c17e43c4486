// Collaborative Gating and Self-Belief Aggregation, CNN.
// "CG + SBA" of Table 1 in CG+SBA (NAACL-SRW 2018).
local variants = import '../lib/variants.libsonnet';

(import '../lib/cnn.libsonnet') + variants.cg + variants.sba_question
