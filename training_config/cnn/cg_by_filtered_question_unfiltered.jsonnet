// Collaborative Gating by Z, no final filtering, CNN.
// "CG (by Z)" of Table 2 in CG+SBA (NAACL-SRW 2018).
local variants = import '../lib/variants.libsonnet';

(import '../lib/cnn.libsonnet') + variants.cg_by_filtered_question_unfiltered
