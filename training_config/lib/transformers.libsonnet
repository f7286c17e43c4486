// A pretrained transformer in place of word embeddings: the field `transformer` of ga.libsonnet and
// qanet.libsonnet. docs/transformers.md says how to use it.
{
  // A regular expression for the parameters that our initializers must not change.
  weights: '_transformer\\.',

  // `name` is one on the Hugging Face hub, or a folder.
  transformer(
    name,
    dim=if std.length(std.findSubstr('large', name)) > 0 then 1024 else 768,  // of its vectors
    trained_layers=null,  // how many, from the last one; null for all, 0 for none
    learning_rate=0.00002,  // of the transformer; that of the rest is the experiment's
    warmup=0.1,  // the share of all updates over which both rates rise, before they fall to 0
    max_length=512,  // the most pieces, with special ones, that it can read; longer texts are cut into windows
    gradient_checkpointing=false,  // less memory, more time
  ): {
    local words = {
      model_name: name,
      max_length: max_length,
      // A word gets the same pieces at the beginning of a text and within it.
      tokenizer_kwargs: { add_prefix_space: true },
    },
    transformer:: {
      dim: dim,
      indexer: words { type: 'pretrained_transformer_mismatched' },
      embedder: words {
        type: 'transformer_words',
        gradient_checkpointing: gradient_checkpointing,
        [if trained_layers != null then 'trained_layers']: trained_layers,
      },
      // AdamW as usual for transformers: biases and the weights of norms do not decay.
      optimizer(learning_rate_of_the_rest): {
        type: 'adamw',
        lr: learning_rate_of_the_rest,
        weight_decay: 0,
        [if trained_layers != 0 then 'parameter_groups']: [
          [[$.weights + '(?!.*(bias|[Nn]orm\\.weight)$)'], { lr: learning_rate, weight_decay: 0.01 }],
          [[$.weights + '.*(bias|[Nn]orm\\.weight)$'], { lr: learning_rate }],
        ],
      },
      // The ratio of the highest rate to the lowest. It makes the lowest as good as 0.
      learning_rate_scheduler: { type: 'slanted_triangular', cut_frac: warmup, ratio: 1e6 },
    },
  },
}
