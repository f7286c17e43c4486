"""The papers' figures: curves and scores of finished runs, which need neither PyTorch nor AllenNLP, and what draws them."""
