// Encoders by name: given the size of a direction, functions from the input size to a Seq2SeqEncoder.
{
  gru(size):: function(input_size) {
    type: 'gru',
    input_size: input_size,
    hidden_size: size,
    bidirectional: true,
  },
  coref_gru(size, options={}):: function(input_size) {
    type: 'coref_gru',
    input_size: input_size,
    hidden_size: size,
  } + options,
  // Its sizes are those of the states that each type of edge carries.
  mage_gru(state_sizes, options={}):: function(input_size) {
    type: 'mage_gru',
    input_size: input_size,
    state_sizes: state_sizes,
  } + options,
  // Its heads, those that see annotations: by annotation layer, how many.
  dassa(size, heads, options={}):: function(input_size) {
    type: 'dassa',
    input_dim: input_size,
    hidden_dim: 2 * size,
    num_blocks: 1,
    annotated_blocks: [0],
    heads: heads,
    normalize_outputs: true,
  } + options,
}
