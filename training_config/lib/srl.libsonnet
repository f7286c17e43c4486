// A small tagger like that of He et al. (ACL 2017), trained from scratch: word embeddings, a CNN over letters, and a
// bidirectional LSTM. One of the corpus's official parts is enough, as its documents are split into training and
// validation.
{
  local experiment = self,
  local character_dim = 16,
  local num_filters = 32,  // of each width of the CNN over letters
  local filter_widths = [2, 3, 4],

  word_dim:: 64,
  feature_dims:: {},  // of other token indexers, by their names
  hidden_size:: 100,  // of a direction
  layers:: 2,

  dataset_reader: {
    type: 'propbank_conllu',
    fold: 'train',
    token_indexers: {
      tokens: { type: 'single_id', lowercase_tokens: true },
      characters: { type: 'characters', min_padding_length: std.reverse(filter_widths)[0],
                    character_tokenizer: { start_tokens: ['<'], end_tokens: ['>'] } },
    },
  },
  validation_dataset_reader: self.dataset_reader { fold: 'valid' },
  train_data_path: 'data/annotators/up_english_ewt',
  validation_data_path: self.train_data_path,
  datasets_for_vocab_creation: ['train'],
  vocabulary: { min_count: { tokens: 2 } },
  model: {
    label_encoding: 'BIO',
    text_field_embedder: { token_embedders: {
      tokens: { type: 'embedding', embedding_dim: experiment.word_dim },
      characters: {
        type: 'character_encoding',
        embedding: { embedding_dim: character_dim, vocab_namespace: 'token_characters' },
        encoder: {
          type: 'cnn',
          embedding_dim: character_dim,
          num_filters: num_filters,
          ngram_filter_sizes: filter_widths,
        },
      },
    } + {
      [name]: { type: 'embedding', embedding_dim: experiment.feature_dims[name], vocab_namespace: name }
      for name in std.objectFields(experiment.feature_dims)
    } },
    encoder: {
      type: 'lstm',
      input_size: experiment.word_dim + num_filters * std.length(filter_widths)
                  + std.foldl(function(sum, dim) sum + dim, std.objectValues(experiment.feature_dims), 0),
      hidden_size: experiment.hidden_size,
      num_layers: experiment.layers,
      bidirectional: true,
      dropout: 0.3,
    },
  },
  data_loader: { batch_sampler: { type: 'bucket', batch_size: 32, sorting_keys: ['tokens'] } },
  validation_data_loader: { batch_size: 64 },
  trainer: {
    num_epochs: 14,
    patience: 4,
    optimizer: { type: 'adam', lr: 0.002 },
    grad_norm: 5,
    validation_metric: '+f1-measure-overall',
  },
  random_seed: 1,
  numpy_seed: 1,
  pytorch_seed: 1,
}
