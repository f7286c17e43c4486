"""The annotators, of which none is imported here."""

MODULES = {
    "AllenNlpCoref": "allennlp_coref",
    "AllenNlpSrl": "allennlp_srl",
    "ComposedAnnotator": "compose",
    "ConnectiveDiscourse": "connective_discourse",
    "Coreferee": "coreferee",
    "CorruptedCoref": "corrupted_coref",
    "Discourse": "discourse",
    "EnglishCoref": "coref.english.coref",
    "EntityMarkerCoref": "entity_marker_coref",
    "ExactMatchCoref": "exact_match_coref",
    "FastCoref": "fastcoref",
    "Maverick": "maverick",
    "PrecomputedAnnotator": "precomputed",
    "Roles": "roles",
    "SieveCoref": "coref.sieve.sieve_coref",
    "SimpleTriples": "simple_triples",
    "SpacyDependencies": "spacy_dependencies",
    "SpacyPipeline": "spacy_pipeline",
    "Structure": "structure",
    "StructureModel": "structure_model",
    "WordNet": "wordnet",
}
"""By class, its module in `annotations.annotators`, whose last part is the registered name."""

ANNOTATORS = [module.rpartition(".")[2] for module in MODULES.values()]
"""The registered names."""
