"""The quiet screen: the little that AllenNLP's commands show when they run as `coref-rc`."""
