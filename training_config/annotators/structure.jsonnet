// Semantic roles and discourse relations: a head for each over one encoder, all-MiniLM-L6-v2. The model of this package.
(import '../lib/structure.libsonnet') {
  tasks:: { roles: $.roles, discourse: $.discourse },
}
