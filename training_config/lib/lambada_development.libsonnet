// LAMBADA without its training data: a small model is trained and validated on parts of the development set,
//   head -n 3895 data/lambada/lambada_development_plain_text.txt > data/lambada/development_train.txt
//   tail -n 974 data/lambada/lambada_development_plain_text.txt > data/lambada/development_valid.txt
// This is for comparing models with each other, not with published numbers.
local lambada = import 'lambada.libsonnet';

lambada {
  hidden_size:: 64,
  embedding_dim:: 64,
  train_data_path: 'data/lambada/development_train.txt',
  validation_data_path: 'data/lambada/development_valid.txt',
  test_data_path:: null,
  evaluate_on_test: false,
  max_clusters:: 14,
  learning_rate:: 0.001,
  batch_size:: 32,
  milestones:: [3, 4],
  callbacks:: [],
}
