"""
The playground of `coref-rc demo`. On its page one can ask trained readers, edit the clusters, and see how the
answer changes.

The names of modules that import Streamlit begin with "_". Only an extra installs Streamlit, and `allennlp
--include-package` imports all other modules.
"""
