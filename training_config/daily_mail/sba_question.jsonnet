// Self-Belief Aggregation of the question, Daily Mail.
// "SBA" of Table 1 in CG+SBA (NAACL-SRW 2018).
local variants = import '../lib/variants.libsonnet';

(import '../lib/daily_mail.libsonnet') + variants.sba_question
