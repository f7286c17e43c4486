// A GA Reader on a task of bAbI-Mix: the files that scripts/mix_babi.py writes, with the clusters of two worlds.
local babi = import 'babi.libsonnet';

babi {
  max_clusters:: 26,
  reader+:: { folder: 'data/babi/mix' },
}
