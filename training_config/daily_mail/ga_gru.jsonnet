// GA Reader with GRU, Daily Mail.
// "GA Reader" of Table 1 in CG+SBA (NAACL-SRW 2018).
local variants = import '../lib/variants.libsonnet';

(import '../lib/daily_mail.libsonnet') + variants.torch_gru
