// A reader of bAbI-1K with one config for all tasks. It exchanges words of lists. Not in a paper.
// It has 3 layers, ga_coref_gru_substitution 4, and the last one is told where in the question a token of the passage
// is. Batches of 16 make twice as many updates. North and south are exchanged, and so are east and west, also in
// answers that are made of them. docs/results/beyond_the_papers.md has the protocol of its runs.
(import 'ga_coref_gru_substitution.jsonnet') {
  layers:: 3,
  question_positions:: 30,
  entity_substitution+: { class_groups+: [[['north', 'n'], ['south', 's']], [['east', 'e'], ['west', 'w']]] },
  batch_size:: 16,
  learning_rate:: 0.005,
  epochs:: 120,
  milestones:: [90, 98, 106, 114],
  // From some random weights, task 19 stays at chance for very long. There is time for four starts.
  restart_below:: { value: 0.2, epochs: 25 },
  callbacks:: [
    // There are 100 validation questions, and one epoch may have all of them right by chance.
    { type: 'stop_above', value: 0.999, epochs: 10 },
    { type: 'restart_below', metric: 'training_accuracy' } + $.restart_below,
  ],
  trainer+: { patience: 40 },
}
