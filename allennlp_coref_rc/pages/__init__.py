"""HTML pages and their pictures, made from plain values, without PyTorch and AllenNLP."""
