// Quoref, QANet: no paper's row.
import '../lib/quoref.libsonnet'
