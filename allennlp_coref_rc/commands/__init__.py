"""The commands of `coref-rc`, one in each file. They call the rest of the package, which does the work."""
