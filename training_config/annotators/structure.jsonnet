// Coreference, semantic roles and discourse relations: a head for each over one encoder, all-MiniLM-L6-v2.
(import '../lib/structure.libsonnet') {
  tasks:: { coreference: $.coreference, roles: $.roles, discourse: $.discourse },
}
