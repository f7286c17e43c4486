// Encoders for the field `encoder` of ga.libsonnet and qanet.libsonnet. Each is an object of
//   config(input_size)    a Seq2SeqEncoder whose output has 2 * hidden_size dimensions,
//   annotation_layers     by name, what it reads in addition to the text,
//   initializes_itself    whether it ignores a data set's encoder_initializers,
//   joint                 whether one encoder reads passage and question as one sequence,
//   has_heads             whether it has attention heads that can see views.
local none = { annotation_layers: {}, initializes_itself: false, joint: false, has_heads: false };

{
  none: none,

  gru(hidden_size): none {
    config(input_size): { type: 'gru', input_size: input_size, hidden_size: hidden_size, bidirectional: true },
  },

  coref_gru(hidden_size, options={}): none {
    config(input_size): { type: 'coref_gru', input_size: input_size, hidden_size: hidden_size } + options,
    annotation_layers: { coref: 'coref_edges' },
  },

  // The sizes are those of the parts of the state, one part for each type of edge.
  mage_gru(state_sizes, options={}): none {
    config(input_size): { type: 'mage_gru', input_size: input_size, state_sizes: state_sizes } + options,
    annotation_layers: { coref: 'coref_edges' },
    initializes_itself: true,
  },

  // MAGE-GRU that also reads typed edges. Each type has a state of `size` (section 3.2), and so has its inverse
  // (section 3.1). The sequential state is smaller by that much.
  typed_mage_gru(state_sizes, types, size): self.mage_gru(
    state_sizes
    + { sequential: state_sizes.sequential - 2 * size * std.length(types) }
    + { [type]: size for type in types }
    + { [type + '_inverse']: size for type in types }
  ) {
    annotation_layers+:
      { [type]: { type: 'typed_edges', types: [type], direction: 'along' } for type in types }
      + { [type + '_inverse']: { type: 'typed_edges', types: [type], direction: 'against' } for type in types },
  },

  // Coref-GRU that also reads typed edges. It attends to types of edges, with one key for all types and one for all
  // inverses. The state has four equal parts.
  typed_coref_gru(hidden_size): self.coref_gru(hidden_size) {
    config(input_size): super.config(input_size) + { relations: ['coref', 'edge', 'edge_inverse'] },
    annotation_layers+: {
      edge: { type: 'typed_edges', direction: 'along' },
      edge_inverse: { type: 'typed_edges', direction: 'against' },
    },
  },

  // MAGE-GRU, where one encoder reads the question and then the passage.
  joint_mage_gru(state_sizes): self.mage_gru(state_sizes, { joint: true }) {
    annotation_layers: { coref: { type: 'coref_edges', question_first: true } },
    joint: true,
  },

  // The model of `gru` on our compiled recurrence.
  compiled_gru(hidden_size): self.mage_gru({ sequential: hidden_size }) {
    annotation_layers: {},
    initializes_itself: false,
  },

  // Its views, by name: { layer: an annotation layer, heads: how many heads see it }.
  dassa(hidden_size, views, options={}): none {
    config(input_size): {
      type: 'dassa',
      input_dim: input_size,
      hidden_dim: 2 * hidden_size,
      num_blocks: 1,
      annotated_blocks: [0],
      heads: { [name]: views[name].heads for name in std.objectFields(views) },
      normalize_outputs: true,
    } + options,
    annotation_layers: { [name]: views[name].layer for name in std.objectFields(views) },
    initializes_itself: true,
    has_heads: true,
  },
}
