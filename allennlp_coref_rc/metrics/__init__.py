"""What answers are scored by: functions that need neither PyTorch nor AllenNLP, and AllenNLP metrics over them."""
