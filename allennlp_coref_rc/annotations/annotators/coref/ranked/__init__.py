"""The parts of `ranked_coref`: what is known about words, mentions and pairs, and the networks that judge them."""
