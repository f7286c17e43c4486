// Self-Belief Aggregation of the question, tanh attention, Who-did-What, strict.
// CG+SBA (NAACL-SRW 2018) has no such row.
local variants = import '../lib/variants.libsonnet';

(import '../lib/who_did_what.libsonnet') + variants.sba_question_tanh + { training_set:: 'Strict' }
