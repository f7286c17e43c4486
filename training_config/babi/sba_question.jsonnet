// Self-Belief Aggregation of the question, bAbI.
// CG+SBA (NAACL-SRW 2018) has no such row.
local variants = import '../lib/variants.libsonnet';

(import '../lib/babi.libsonnet') + variants.sba_question
