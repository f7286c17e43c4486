"""The commands of `coref-rc`, a file each; what they do is elsewhere in the package."""
