// GA Reader with GRU, on a part of LAMBADA's development set: nothing that was published.
local variants = import '../lib/variants.libsonnet';

(import '../lib/lambada_development.libsonnet') + variants.gru
