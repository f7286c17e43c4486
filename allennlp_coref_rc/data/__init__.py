"""Data sets and what is read of them: files of data sets, dataset readers, annotation layers and fields."""
