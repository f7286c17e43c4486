// Collaborative Gating and Self-Belief Aggregation, Daily Mail.
// "CG + SBA" of Table 1 in CG+SBA (NAACL-SRW 2018).
local variants = import '../lib/variants.libsonnet';

(import '../lib/daily_mail.libsonnet') + variants.cg + variants.sba_question
