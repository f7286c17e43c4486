"""
The playground of `coref-rc demo`: ask trained readers, edit the clusters, and watch the answer change.

Modules that import Streamlit, which only an extra installs, have private names, since `allennlp --include-package`
imports all others.
"""
