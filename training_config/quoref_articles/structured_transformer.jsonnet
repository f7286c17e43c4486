// Quoref's development set, cross-validated over its articles: all-MiniLM-L6-v2. Not in a paper.
// docs/results/quoref.md says where the transformer comes from.
local structured = import '../lib/structured_transformer.libsonnet';
local variants = import '../lib/variants.libsonnet';

structured.spans(import 'qanet.jsonnet')
+ variants.transformer('data/all-MiniLM-L6-v2', dim=384, trained_layers=1, learning_rate=0.0001)
+ {
  equal_budget+:: { epochs: 4 },
  trainer+: { learning_rate_scheduler::: $.transformer.learning_rate_scheduler },
}
