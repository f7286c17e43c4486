// Single-layer reader with a bilinear score, LAMBADA.
// The Stanford Reader (Chen et al., ACL 2016) has no such row.
local variants = import '../lib/variants.libsonnet';

(import '../lib/lambada.libsonnet') + variants.stanford
