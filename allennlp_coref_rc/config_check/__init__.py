"""Walks a config and says what is wrong in it, before anything is built or read."""
