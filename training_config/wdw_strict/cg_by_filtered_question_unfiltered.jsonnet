// Collaborative Gating by Z, no final filtering, Who-did-What, strict.
// CG+SBA (NAACL-SRW 2018) has no such row.
local variants = import '../lib/variants.libsonnet';

(import '../lib/who_did_what.libsonnet') + variants.cg_by_filtered_question_unfiltered + { training_set:: 'Strict' }
