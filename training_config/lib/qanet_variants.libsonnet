// Variants of QANet, as DASSA's tables compare them, and other ways to run its experiments. Each changes one field of
// qanet.libsonnet, and they combine in any order. If two change the same field, the last one wins. docs/configs.md has
// a table.
local encoders = import 'encoders.libsonnet';
local variants = import 'variants.libsonnet';

{
  // Views of annotations, and the number of heads that see them.
  local discourse(kind, senses) = { layer: { type: 'discourse_views', kind: kind, senses: senses }, heads: 2 },
  explicit(senses=true): { views+:: { discourse_explicit: discourse('explicit', senses) } },
  non_explicit(senses=true): { views+:: { discourse_non_explicit: discourse('non_explicit', senses) } },
  // Without padding, a text whose sentences have fewer verbs has fewer views.
  srl(verbs=3, pad_views=true): {
    views+:: { srl: { layer: { type: 'srl_views', max_views: verbs, pad_views: pad_views }, heads: verbs } },
  },
  coref(copies=1): { views+:: { coref: { layer: { type: 'coref_views', copies: copies }, heads: copies } } },
  sentence_spans(sentences=3): {
    views+:: { sentence_spans: { layer: { type: 'sentence_views', num_views: sentences }, heads: sentences } },
  },
  heads_in_all_blocks(number): { heads_in_all_blocks:: number },
  // Heads attend from unannotated tokens to all others of the text, as they do in the authors' code.
  join_unannotated: { join_unannotated:: true },

  // Other modelling layers.
  gru: variants.gru,
  torch_gru: variants.torch_gru,
  coref_gru: variants.coref_gru,
  mage_gru(coref_size): variants.mage_gru(coref_size),
  // The BiDAF of allennlp-models.
  bidaf: {
    local experiment = self,
    local lstm(input_size, layers) = {
      type: 'lstm',
      input_size: input_size,
      hidden_size: experiment.lstm_size,
      num_layers: layers,
      dropout: 0.2,
      bidirectional: true,
    },
    local text_dim = experiment.word_dim + experiment.characters.dim,
    lstm_size:: 100,
    encoder:: encoders.none {
      model: {
        type: 'wrapped_span_reader',
        reader: {
          type: 'bidaf',
          text_field_embedder: experiment.text_field_embedder,
          num_highway_layers: 2,
          phrase_layer: lstm(text_dim, 1),
          matrix_attention: 'dot_product',
          modeling_layer: lstm(8 * experiment.lstm_size, 2),
          span_end_encoder: lstm(14 * experiment.lstm_size, 1),
          dropout: 0.2,
        },
      },
    },
  },

  // Word vectors of a pretrained transformer.
  transformer: variants.transformer,

  // Smaller batches, and more of them for an update: four questions fit a GPU of 8 GB.
  batches_of_at_most(questions): { max_batch_size:: questions },
  // Means over the weights of the last updates are evaluated and kept. The paper has a run with them, but its config is
  // not published.
  moving_average: { moving_average:: { type: 'recoverable_exponential', decay: 0.9999 } },
}
