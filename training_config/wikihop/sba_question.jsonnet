// Self-Belief Aggregation of the question, WikiHop.
// CG+SBA (NAACL-SRW 2018) has no such row.
local variants = import '../lib/variants.libsonnet';

(import '../lib/wikihop.libsonnet') + variants.sba_question
