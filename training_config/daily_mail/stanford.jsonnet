// Single-layer reader with a bilinear score, Daily Mail.
// The Stanford Reader (Chen et al., ACL 2016) has no such row.
local variants = import '../lib/variants.libsonnet';

(import '../lib/daily_mail.libsonnet') + variants.stanford
