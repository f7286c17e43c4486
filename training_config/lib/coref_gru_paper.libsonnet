// The settings of Coref-GRU (Dhingra et al., NAACL 2018, Appendix B) and of its authors' code, which bAbI, WikiHop and
// LAMBADA share.
local ga = import 'ga.libsonnet';

ga {
  stack_question:: true,
  embedding_initializers:: [['_text_field_embedder.token_embedder_tokens.weight', { type: 'gated_normal' }]],
  encoder_initializers:: [
    ['_(passage|question)_encoders.*weight.*', { type: 'gated_normal', gates: 3 }],
    ['_(passage|question)_encoders.*bias.*', { type: 'constant', val: 0 }],
  ],
}
