// The reader that comes with the package: `quick_start` with fewer units, on clusters that include pronouns.
(import 'quick_start.jsonnet') {
  hidden_size:: 32,
  embedding_dim:: 32,
  annotator:: { type: 'sieve_coref', all_nouns: true },
  epochs:: 30,
}
