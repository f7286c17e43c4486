"""The papers' figures: curves and scores of finished runs (without PyTorch and AllenNLP), and their drawings."""
