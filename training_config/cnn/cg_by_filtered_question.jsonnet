// Collaborative Gating by Z, CNN.
// "CG (by Z, +final filtering)" of Table 2 in CG+SBA (NAACL-SRW 2018).
local variants = import '../lib/variants.libsonnet';

(import '../lib/cnn.libsonnet') + variants.cg_by_filtered_question
