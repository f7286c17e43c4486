"""The quiet screen: what AllenNLP's commands show of their work when they are run as `coref-rc`."""
