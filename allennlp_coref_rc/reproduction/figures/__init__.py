"""The papers' figures. Modules of curves and scores import neither PyTorch nor AllenNLP."""
