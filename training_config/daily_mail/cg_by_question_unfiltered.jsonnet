// Collaborative Gating by Q, no final filtering, Daily Mail.
// CG+SBA (NAACL-SRW 2018) has no such row.
local variants = import '../lib/variants.libsonnet';

(import '../lib/daily_mail.libsonnet') + variants.cg_by_question_unfiltered
