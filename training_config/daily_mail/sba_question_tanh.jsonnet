// Self-Belief Aggregation of the question, tanh attention, Daily Mail.
// CG+SBA (NAACL-SRW 2018) has no such row.
local variants = import '../lib/variants.libsonnet';

(import '../lib/daily_mail.libsonnet') + variants.sba_question_tanh
