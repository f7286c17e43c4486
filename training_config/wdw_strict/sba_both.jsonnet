// Self-Belief Aggregation of passage and question, Who-did-What, strict.
// CG+SBA (NAACL-SRW 2018) has no such row.
local variants = import '../lib/variants.libsonnet';

(import '../lib/who_did_what.libsonnet') + variants.sba_both + { training_set:: 'Strict' }
