// The settings of the GA Reader (Dhingra et al., ACL 2017) and of its code, which CNN, Daily Mail and Who-did-What
// share. CG+SBA (NAACL-SRW 2018) has the same settings. Two things differ: their code clips every gradient that passes
// through a step of a GRU at 10, and here the gradients of the parameters are clipped; they validate every 100 updates,
// and here validation is after each epoch. Their models begin with GloVe vectors: see pretrained_file in ga.libsonnet.
local ga = import 'ga.libsonnet';

ga {
  embedding_dim:: 100,
  embedding_initializers:: [['_text_field_embedder.token_embedder_tokens.weight', { type: 'normal', mean: 0, std: 1 }]],
  encoder_initializers:: [
    ['_(passage|question)_encoders.*weight.*', { type: 'normal', mean: 0, std: 0.1 }],
    ['_(passage|question)_encoders.*bias.*', { type: 'constant', val: 0 }],
  ],
  evaluate_on_test: true,
  batch_size:: 32,
  epochs:: 10,
  milestones:: [3, 4, 5, 6, 7, 8, 9],
}
