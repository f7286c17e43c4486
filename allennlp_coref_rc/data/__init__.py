"""Data sets and how they are read: their files, dataset readers, annotation layers and fields."""
