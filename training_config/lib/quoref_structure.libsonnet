// Folds of Quoref's development set that are annotated: docs/results/quoref.md says how.
{
  annotated_files:: true,
  train_data_path: 'data/quoref/structure/fold_1/train.jsonl',
  test_data_path: 'data/quoref/structure/fold_1/test.jsonl',
}
