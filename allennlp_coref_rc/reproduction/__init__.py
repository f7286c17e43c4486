"""Running the papers' experiments: which there are, their runs, and the report on them."""
