// GA Reader with MAGE-GRU, 64 units for coreference, LAMBADA.
// "GA + MAGE (64)" of Table 3 in MAGE-GRU (Dhingra et al., 2017, arXiv:1703.02620).
// A layer reads the question from the layer below, as in Coref-GRU. In MAGE's code each reads its embeddings: set
// `stack_question:: false`.
local variants = import '../lib/variants.libsonnet';

(import '../lib/lambada.libsonnet') + variants.mage_gru(64)
