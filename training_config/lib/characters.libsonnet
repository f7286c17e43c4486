// Character encoders, which are used together with word embeddings. `initializers` are theirs, if they have some.
{
  // Coref-GRU's WikiHop model: characters of size 10, 50 filters of width 5.
  cnn: {
    indexer: { type: 'characters', min_padding_length: 5 },
    dim: 50,
    embedder: {
      type: 'character_encoding',
      embedding: { embedding_dim: 10, vocab_namespace: 'token_characters' },
      encoder: { type: 'character_cnn', embedding_dim: 10, num_filters: 50, bias: false },
    },
  },
  // DASSA's QANet: bytes of size 16, 100 filters of width 5.
  bytes(embedding_dim=16, filters=100): {
    indexer: {
      type: 'characters',
      min_padding_length: 5,
      character_tokenizer: { byte_encoding: 'utf-8', start_tokens: [259], end_tokens: [260] },
    },
    dim: filters,
    embedder: {
      type: 'character_encoding',
      embedding: { num_embeddings: 262, embedding_dim: embedding_dim },
      encoder: { type: 'character_cnn', embedding_dim: embedding_dim, num_filters: filters },
      dropout: 0.1,
    },
  },
  // The GA Reader: a bidirectional GRU of 25 units, projected to half the size of a word's embedding.
  gru(output_size): {
    local weights = '_text_field_embedder.token_embedder_characters.',
    // A layer for each direction, so that each is drawn as one that reads 25 dimensions.
    local bound = std.sqrt(6 / (25 + output_size)),
    initializers: [
      [weights + '_embedding.*', { type: 'normal', mean: 0, std: 0.01 }],
      [weights + '_encoder.*_gru.*weight.*', { type: 'normal', mean: 0, std: 0.1 }],
      [weights + '_encoder.*_projection.weight', { type: 'uniform', a: -bound, b: bound }],
      [weights + '_encoder.*bias.*', { type: 'constant', val: 0 }],
    ],
    indexer: { type: 'characters', min_padding_length: 1 },
    dim: output_size,
    embedder: {
      type: 'character_encoding',
      embedding: { embedding_dim: 25, vocab_namespace: 'token_characters' },
      encoder: { type: 'projected_gru', input_size: 25, hidden_size: 25, output_size: output_size },
    },
  },
}
