// Collaborative Gating, Who-did-What, strict.
// "CG" of Table 1 in CG+SBA (NAACL-SRW 2018).
local variants = import '../lib/variants.libsonnet';

(import '../lib/who_did_what.libsonnet') + variants.cg + { training_set:: 'Strict' }
