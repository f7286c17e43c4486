// A reader of bAbI-1K with one config for all tasks, and no lists of words. Not in a paper.
// The words that it exchanges are found in the training questions. docs/results/beyond_the_papers.md has the protocol
// of its runs.
(import 'best_word_lists.jsonnet') {
  entity_substitution:: { type: 'induced' },
  // Task 19 may also stay where half of an answer is known.
  restart_below:: { value: 0.5, epochs: 30 },
}
