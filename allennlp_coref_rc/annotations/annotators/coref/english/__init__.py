"""The parts of `coref`: mentions of a parse, what is known about them and about pairs, and the networks."""
