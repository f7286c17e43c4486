"""
The papers' figures: curves and scores of finished runs, and their drawings. Modules of curves and scores import neither
PyTorch nor AllenNLP.
"""
