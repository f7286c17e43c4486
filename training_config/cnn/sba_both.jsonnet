// Self-Belief Aggregation of passage and question, CNN.
// "SBA on D(K)&Q(K)" of Table 3 in CG+SBA (NAACL-SRW 2018).
local variants = import '../lib/variants.libsonnet';

(import '../lib/cnn.libsonnet') + variants.sba_question + variants.sba_passage
