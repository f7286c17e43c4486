// A GA Reader on a task of bAbI-Mix, whose files `coref-rc data mix` writes, with the clusters of two worlds.
local babi = import 'babi.libsonnet';

babi {
  max_clusters:: 26,
  reader+:: { folder: 'data/babi/mix' },
}
