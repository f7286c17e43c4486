// Senses of discourse relations by a small CNN, on GDTB (Liu et al. 2024): for the annotator `trained_discourse_senses`.
local part_dim = 8;
local word_dim = 64;
{
  dataset_reader: {
    type: 'discourse_senses',
    fold: 'train',
    find_connectives: true,
    token_indexers: {
      tokens: { type: 'single_id', lowercase_tokens: true, token_min_padding_length: 3 },
      parts: { type: 'single_id', namespace: 'parts', feature_name: 'ent_type_', token_min_padding_length: 3 },
    },
  },
  validation_dataset_reader: self.dataset_reader { fold: 'valid' },
  train_data_path: 'data/annotators/gdtb',
  validation_data_path: self.train_data_path,
  datasets_for_vocab_creation: ['train'],
  vocabulary: { min_count: { tokens: 2 } },
  model: {
    type: 'basic_classifier',
    text_field_embedder: { token_embedders: {
      tokens: { type: 'embedding', embedding_dim: word_dim },
      parts: { type: 'embedding', embedding_dim: part_dim, vocab_namespace: 'parts' },
    } },
    seq2vec_encoder: { type: 'cnn', embedding_dim: word_dim + part_dim, num_filters: 64, ngram_filter_sizes: [1, 2, 3] },
    dropout: 0.5,
  },
  data_loader: { batch_sampler: { type: 'bucket', batch_size: 32, sorting_keys: ['tokens'] } },
  validation_data_loader: { batch_size: 128 },
  trainer: {
    num_epochs: 12,
    patience: 3,
    optimizer: { type: 'adam', lr: 0.001 },
    validation_metric: '+accuracy',
  },
  random_seed: 1, numpy_seed: 1, pytorch_seed: 1,
}
