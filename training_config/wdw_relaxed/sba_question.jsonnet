// Self-Belief Aggregation of the question, Who-did-What, relaxed.
// "SBA" of Table 1 in CG+SBA (NAACL-SRW 2018).
local variants = import '../lib/variants.libsonnet';

(import '../lib/who_did_what.libsonnet') + variants.sba_question + { training_set:: 'Relaxed' }
