// GA Reader with GRU, Who-did-What, strict.
// "GA Reader" of Table 1 in CG+SBA (NAACL-SRW 2018).
local variants = import '../lib/variants.libsonnet';

(import '../lib/who_did_what.libsonnet') + variants.torch_gru + { training_set:: 'Strict' }
