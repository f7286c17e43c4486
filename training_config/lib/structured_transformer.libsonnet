// A pretrained transformer that reads question and passage together, in place of the reader of any data set's library:
//   structured.spans(import '../lib/quoref.libsonnet')
// The data, the annotators and the fields are those of the library. Two fields are there to choose:
//   encoder      the layer above the transformer, none at first: variants.coref_gru, variants.mage_gru(16),
//                variants.dassa and all others of variants.libsonnet that change it; or structured.dassa, below
//   transformer  the transformer: variants.transformer('roberta-large', learning_rate=0.00001)
// Variants of both, and fields in braces, are added in any order. docs/transformers.md is about it.
local encoders = import 'encoders.libsonnet';
local transformers = import 'transformers.libsonnet';

local structured = {
  local experiment = self,

  transformer:: transformers.transformer('answerdotai/ModernBERT-base', max_length=1024).transformer,
  overlap:: 128,  // the pieces that consecutive windows of a longer passage share
  encoder:: encoders.none,
  hidden_size:: 128,  // of a direction of the layer
  dropout:: 0.1,
  learning_rate:: 0.0002,  // of all but the transformer
  head:: error 'Must override head',  // how the model answers

  local words = { token_indexers: { transformer: experiment.transformer.indexer { max_length: null } } },
  dataset_reader+: words,
  validation_dataset_reader+: words,
  model: {
    type: 'structured_transformer',
    // The type is fixed; its other keys are those of `transformer_words`.
    transformer: experiment.transformer.embedder { type:: null, overlap: experiment.overlap },
    [if std.objectHas(experiment.encoder, 'config') then 'encoder']:
      experiment.encoder.config(experiment.transformer.dim),
    dropout: experiment.dropout,
    head: experiment.head,
  },
  trainer+: {
    grad_norm: 1,
    grad_clipping:: null,
  },
};

{
  // A block of DASSA whose heads see the views of qanet_variants.libsonnet: structured.dassa + variants.coref().
  dassa: { encoder:: encoders.dassa(self.hidden_size, self.views, self.dassa_options) },

  // For answers that are spans, with libraries that are made of qanet.libsonnet.
  spans(data_set): data_set + structured {
    local experiment = self,
    head:: { type: 'span', [if experiment.metric != null then 'metric']: experiment.metric },
    equal_budget:: { batch_size: 16, epochs: 4, patience: null, halving_patience: null, accumulation: 1 },
  },

  // For answers of several spans.
  tags(data_set): self.spans(data_set) {
    head+:: { type: 'tags' },
    data_set+:: { tag_answers: true },
  },

  // For answers that are candidates, with libraries that are made of ga.libsonnet.
  candidates(data_set): data_set + structured {
    local experiment = self,
    head:: { type: 'candidates', [if experiment.pointer != null then 'pointer']: experiment.pointer },
    batch_size:: 16,
    updates_per_epoch:: null,
    epochs:: 4,
    callbacks:: [],
  },
}
