// Collaborative Gating and Self-Belief Aggregation, Who-did-What, strict.
// "CG + SBA" of Table 1 in CG+SBA (NAACL-SRW 2018).
local variants = import '../lib/variants.libsonnet';

(import '../lib/who_did_what.libsonnet') + variants.cg + variants.sba_question + { training_set:: 'Strict' }
