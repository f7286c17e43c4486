// The GRU beside the reader that comes with the package: the same without coreference.
local variants = import '../lib/variants.libsonnet';

(import 'small_coref_gru.jsonnet') + variants.gru
