// Self-Belief Aggregation of the question, LAMBADA.
// CG+SBA (NAACL-SRW 2018) has no such row.
local variants = import '../lib/variants.libsonnet';

(import '../lib/lambada.libsonnet') + variants.sba_question
