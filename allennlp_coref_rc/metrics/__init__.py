"""The scores of answers: functions that need neither PyTorch nor AllenNLP, and AllenNLP metrics over them."""
