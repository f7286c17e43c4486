// What DASSA's tables compare, and how else its experiments may be run, as objects to add to narrativeqa.libsonnet.
local characters = import 'characters.libsonnet';
local encoders = import 'encoders.libsonnet';

{
  local discourse(kind, senses) = { type: 'discourse_views', kind: kind, senses: senses },

  // Views of annotations, each for as many heads.
  explicit(senses=true): {
    needs+:: ['discourse'],
    annotation_layers+:: { discourse_explicit: discourse('explicit', senses) },
    heads+:: { discourse_explicit: 2 },
  },
  non_explicit(senses=true): {
    needs+:: ['discourse'],
    annotation_layers+:: { discourse_non_explicit: discourse('non_explicit', senses) },
    heads+:: { discourse_non_explicit: 2 },
  },
  // Where not padded, a text whose sentences have fewer verbs has fewer views.
  srl(verbs=3, pad_views=true): {
    needs+:: ['srl'],
    annotation_layers+:: { srl: { type: 'srl_views', max_views: verbs, pad_views: pad_views } },
    heads+:: { srl: verbs },
  },
  coref(copies=1): {
    needs+:: ['coref'],
    annotation_layers+:: { coref: { type: 'coref_views', copies: copies } },
    heads+:: { coref: copies },
  },
  sentence_spans(sentences=3): {
    annotation_layers+:: { sentence_spans: { type: 'sentence_views', num_views: sentences } },
    heads+:: { sentence_spans: sentences },
  },
  // More heads than dimensions could be shared out to, each as large as one of eight, in all blocks.
  heads_in_all_blocks(number): {
    local experiment = self,
    modeling_options+:: {
      num_attention_heads: number,
      attention_projection_dim: number * experiment.hidden_size / 4,
    },
    annotated_blocks:: std.range(0, experiment.blocks - 1),
  },

  // Other modelling layers.
  gru: { modeling_layer:: encoders.gru(self.hidden_size) },
  coref_gru: {
    modeling_layer:: encoders.coref_gru(self.hidden_size),
    needs+:: ['coref'],
    annotation_layers+:: { coref: 'coref_edges' },
  },
  mage_gru(coref_size): {
    local experiment = self,
    modeling_layer:: encoders.mage_gru({ sequential: experiment.hidden_size - coref_size, coref: coref_size }),
    needs+:: ['coref'],
    annotation_layers+:: { coref: 'coref_edges' },
  },
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
    local text_dim = experiment.embedding_dim + experiment.characters.dim,
    lstm_size:: 100,
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

  // Budgets. That of the authors' own run; most have the same.
  authors(options={}): {
    published_budget:: { batch_size: 32, epochs: 70, patience: 20, halving_patience: 8, accumulation: 16 } + options,
  },
  published_budget: { budget:: self.published_budget, accumulation:: self.budget.accumulation },
  // Eight batches an update: for GPUs of 8 GB.
  eight_gigabytes: { accumulation:: 8 },
  // Evaluated, and kept, are means over the last updates' weights. The paper has a run with it, whose config is not
  // published.
  moving_average: { moving_average:: { type: 'recoverable_exponential', decay: 0.9999 } },

  // Data. The authors' annotated files, with their spans, tokens and annotations.
  authors_files: {
    annotator:: null,
    train_data_path: 'data/narrativeqa_annotated/summaries_annotated.jsonl.train',
    validation_data_path: 'data/narrativeqa_annotated/summaries_annotated.jsonl.valid',
    test_data_path: 'data/narrativeqa_annotated/summaries_annotated.jsonl.test',
  },
  // Heads attend from unannotated tokens to all others of the text, as they do in the authors' code.
  authors_scopes: { modeling_options+:: { join_unannotated: true } },
  // Without the training questions: trained on the official test questions, validated on the valid ones, and not to be
  // compared with numbers of others.
  swapped_split: {
    text:: 'tokenized',
    train_data_path: 'data/narrativeqa/test',
    test_data_path:: null,
    evaluate_on_test: false,
  },
  // A small model that is to learn the beginnings of the valid summaries by heart, on a CPU.
  development: {
    text:: 'tokenized',
    training_limits:: { max_passage_length: 250, max_question_length: 20 },
    train_data_path: 'data/narrativeqa/valid',
    validation_dataset_reader: self.dataset_reader,
    test_data_path:: null,
    evaluate_on_test: false,
    embedding_dim:: 64,
    characters:: characters.bytes(8, 32),
    hidden_size:: 32,
    blocks:: 3,
    annotated_blocks:: [0, 2],
    dropout:: 0,
    dassa_options+:: { num_attention_heads: 4, layer_dropout_undecayed_prob: 0 },
    equal_budget:: { batch_size: 16, epochs: 40, patience: 40, halving_patience: 8 },
  },
}
