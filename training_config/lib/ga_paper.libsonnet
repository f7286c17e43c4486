// The settings of the GA Reader (Dhingra et al., ACL 2017) and of its code, which CNN, Daily Mail and Who-did-What
// share. CG+SBA (NAACL-SRW 2018) has the same settings. docs/results/departures.md says what differs. Their models
// begin with GloVe vectors: see pretrained_file in ga.libsonnet.
local ga = import 'ga.libsonnet';

ga {
  embedding_dim:: 100,
  embedding_initializers:: [['_text_field_embedder.token_embedder_tokens.weight', { type: 'normal', mean: 0, std: 1 }]],
  encoder_initializers:: [
    ['_(passage|question)_(encoders|self_belief.encoder).*weight.*', { type: 'normal', mean: 0, std: 0.1 }],
    ['_(passage|question)_(encoders|self_belief.encoder).*bias.*', { type: 'constant', val: 0 }],
  ],
  evaluate_on_test: true,
  batch_size:: 32,
  epochs:: 10,
  milestones:: [3, 4, 5, 6, 7, 8, 9],
  // The code ends after an epoch without a new best.
  trainer+: { patience: 1 },
}
