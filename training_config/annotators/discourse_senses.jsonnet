// Senses of discourse relations by a small CNN, on GDTB (Liu et al., EMNLP 2024): for `trained_discourse_senses`.
local word = { namespace: 'tokens', embedding_dim: 32 };
local place = { namespace: 'places', embedding_dim: 16 };
local indexer = { type: 'single_id', token_min_padding_length: 3 };
local embedding(of) = { type: 'embedding', embedding_dim: of.embedding_dim, vocab_namespace: of.namespace };
{
  dataset_reader: { type: 'discourse_senses', fold: 'train', find_connectives: true, token_indexers: {
    tokens: indexer { lowercase_tokens: true },  // first by name, so `basic_classifier` outputs its words
    tokens_places: indexer { namespace: place.namespace, feature_name: 'ent_type_' },
  } },
  validation_dataset_reader: self.dataset_reader { fold: 'valid' },
  train_data_path: 'data/annotators/gdtb',
  validation_data_path: self.train_data_path,
  datasets_for_vocab_creation: ['train'],
  vocabulary: { min_count: { tokens: 5 } },
  model: {
    type: 'basic_classifier',
    text_field_embedder: { token_embedders: { tokens: embedding(word), tokens_places: embedding(place) } },
    seq2vec_encoder: { type: 'cnn', num_filters: 128, ngram_filter_sizes: [1, 2, 3],
                       embedding_dim: word.embedding_dim + place.embedding_dim },
    dropout: 0.5,
  },
  data_loader: { batch_sampler: { type: 'bucket', batch_size: 64, sorting_keys: ['tokens'] } },
  validation_data_loader: { batch_size: 128 },
  trainer: {
    num_epochs: 10, patience: 3, validation_metric: '+accuracy',
    optimizer: { type: 'adamw', lr: 0.002, weight_decay: 0.05 },
  },
  random_seed: 1, numpy_seed: 1, pytorch_seed: 1,
}
