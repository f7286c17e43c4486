// Quoref, QANet. Not in a paper.
import '../lib/quoref.libsonnet'
