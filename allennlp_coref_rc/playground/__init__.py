"""The playground of `coref-rc demo`: ask trained readers, edit the clusters, and watch the answer change."""
