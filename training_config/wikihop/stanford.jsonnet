// Single-layer reader with a bilinear score, WikiHop.
// The Stanford Reader (Chen et al., ACL 2016) has no such row.
local variants = import '../lib/variants.libsonnet';

(import '../lib/wikihop.libsonnet') + variants.stanford
