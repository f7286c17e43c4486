"""The HTML pages, and the pictures that belong to them: of values alone, without PyTorch and AllenNLP."""
