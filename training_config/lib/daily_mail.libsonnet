// A GA Reader on Daily Mail (Hermann et al. 2015).
local cnn = import 'cnn.libsonnet';

cnn {
  dropout:: 0.1,
  train_data_path: 'data/dailymail/questions/training',
  validation_data_path: 'data/dailymail/questions/validation',
  test_data_path: 'data/dailymail/questions/test',
}
