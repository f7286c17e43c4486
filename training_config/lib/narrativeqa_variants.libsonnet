// The variants of qanet_variants.libsonnet, and those that are only for NarrativeQA, which change fields of
// narrativeqa.libsonnet.
(import 'qanet_variants.libsonnet') + {
  // Budgets. The first only records the budget with which the authors trained a model, if it differs from that of most
  // of their models. The second trains with it.
  record_authors_budget(differences={}): {
    authors_budget:: { batch_size: 32, epochs: 70, patience: 20, halving_patience: 8, accumulation: 16 } + differences,
  },
  use_authors_budget: { budget:: self.authors_budget },

  // The files that the authors annotated, with their spans, tokens and annotations.
  authors_annotated_files: {
    annotated_files:: true,
    text:: 'raw',
    local file = 'data/narrativeqa_annotated/summaries_annotated.jsonl',
    train_data_path: file + '.train',
    validation_data_path: file + '.valid',
    test_data_path::: file + '.test',
    evaluate_on_test: true,
  },
  // Without the training questions: it trains on the official test questions and validates on the valid ones, so do not
  // compare its scores with published ones.
  train_on_test_questions: {
    annotated_files:: false,
    text:: 'tokenized',
    train_data_path: 'data/narrativeqa/test',
    validation_data_path: 'data/narrativeqa/valid',
    test_data_path:: null,
    evaluate_on_test: false,
  },
}
