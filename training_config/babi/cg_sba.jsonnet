// Collaborative Gating and Self-Belief Aggregation, bAbI.
// CG+SBA (NAACL-SRW 2018) has no such row.
local variants = import '../lib/variants.libsonnet';

(import '../lib/babi.libsonnet') + variants.cg_sba
