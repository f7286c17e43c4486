import allennlp_coref_rc  # noqa: F401  registers what configs name, as a plugin is imported
