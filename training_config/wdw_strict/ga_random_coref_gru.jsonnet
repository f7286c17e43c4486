// GA Reader with Coref-GRU and random clusters, Who-did-What, strict.
// Coref-GRU (Dhingra et al., NAACL 2018) has no such row.
local variants = import '../lib/variants.libsonnet';

(import '../lib/who_did_what.libsonnet') + variants.random_coref_gru + { training_set:: 'Strict' }
