// GA Reader with GRU, on a part of LAMBADA's development set. Not in a paper.
local variants = import '../lib/variants.libsonnet';

(import '../lib/lambada_development.libsonnet') + variants.torch_gru
