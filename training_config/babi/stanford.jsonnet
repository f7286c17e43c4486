// Single-layer reader with a bilinear score, bAbI.
// The Stanford Reader (Chen et al., ACL 2016) has no such row.
local variants = import '../lib/variants.libsonnet';

(import '../lib/babi.libsonnet') + variants.stanford
