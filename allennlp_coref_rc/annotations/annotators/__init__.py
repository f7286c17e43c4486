"""
Annotators, which add structure to a text: rules, trained models, other packages, and annotations made before.

Each annotator is imported only when it is asked for. So `sieve_coref` starts at once, although other annotators need
large packages.
"""

from importlib import import_module
from typing import Any

from allennlp_coref_rc.annotations.annotators.annotator import (
    Annotator,
    annotate_documents,
    annotate_questions,
    annotate_texts,
)

MODULES = {
    "AllenNlpCoref": "allennlp_coref",
    "AllenNlpSrl": "allennlp_srl",
    "ComposedAnnotator": "compose",
    "ConnectiveDiscourse": "connective_discourse",
    "Coreferee": "coreferee",
    "CorruptedCoref": "corrupted_coref",
    "Discourse": "discourse.discourse",
    "EnglishCoref": "coref.english.coref",
    "EntityMarkerCoref": "entity_marker_coref",
    "ExactMatchCoref": "exact_match_coref",
    "FastCoref": "fastcoref",
    "Maverick": "maverick",
    "PrecomputedAnnotator": "precomputed",
    "Roles": "roles.roles",
    "SieveCoref": "coref.sieve.sieve_coref",
    "SimpleTriples": "simple_triples",
    "SpacyDependencies": "spacy_dependencies",
    "SpacyPipeline": "spacy_pipeline",
    "Structure": "structure",
    "WordNet": "wordnet",
}


def __getattr__(name: str) -> Any:
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{MODULES[name]}"), name)
