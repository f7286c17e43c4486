// Self-Belief Aggregation of the question, tanh attention, CNN.
// "SBA on Q(K) (tanh)" of Table 3 in CG+SBA (NAACL-SRW 2018).
local variants = import '../lib/variants.libsonnet';

(import '../lib/cnn.libsonnet') + variants.sba_question_tanh
