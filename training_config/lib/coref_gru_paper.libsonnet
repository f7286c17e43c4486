// The settings of Coref-GRU (Dhingra et al., NAACL 2018, Appendix B) and of its authors' code, which bAbI, WikiHop and
// LAMBADA share. docs/results/departures.md lists all settings beside the paper's and the code's, and what differs.
local ga = import 'ga.libsonnet';

ga {
  stack_question:: true,
  // The code stops 30 % above the least validation loss (not on bAbI).
  callbacks:: [{ type: 'stop_above', metric: 'validation_loss', value: 1.3, of_least: true }],
  embedding_initializers:: [['_text_field_embedder.token_embedder_tokens.weight', { type: 'gated_normal' }]],
  encoder_initializers:: [
    ['_(passage|question)_encoders.*weight.*', { type: 'gated_normal', gates: 3 }],
    ['_(passage|question)_encoders.*bias.*', { type: 'constant', val: 0 }],
  ],
}
