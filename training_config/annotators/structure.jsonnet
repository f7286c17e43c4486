// Semantic roles (PropBank over EWT) and discourse relations (GDTB): a head for each over one encoder, all-MiniLM-L6-v2.
(import '../lib/structure.libsonnet') {
  tasks:: { roles: $.roles, discourse: $.discourse },
}
