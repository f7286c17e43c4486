"""Runs the papers' experiments: their conditions, the runs, and the report."""
