// Single-layer reader with a bilinear score, Who-did-What, relaxed.
// The Stanford Reader (Chen et al., ACL 2016) has no such row.
local variants = import '../lib/variants.libsonnet';

(import '../lib/who_did_what.libsonnet') + variants.stanford + { training_set:: 'Relaxed' }
