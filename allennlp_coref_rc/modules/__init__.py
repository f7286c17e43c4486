"""The parts of models: encoders, gating, answer layers, and the recurrence below them."""
