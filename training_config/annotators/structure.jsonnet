// Semantic roles and discourse relations over one encoder, all-MiniLM-L6-v2: the model of this package.
(import '../lib/structure.libsonnet') {
  tasks:: { roles: $.roles, discourse: $.discourse },
}
