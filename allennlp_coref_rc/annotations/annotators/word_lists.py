"""Lists of words that do not name entities, so exact match must not link them."""

from spacy.lang.en.stop_words import STOP_WORDS

from allennlp_coref_rc.annotations.annotators.english_words import read_words

FUNCTION_WORDS = frozenset(STOP_WORDS)
"""spaCy's English stop words: determiners, pronouns, prepositions, conjunctions, auxiliaries, numbers and the like."""

VERBS = read_words("common_verbs")
RELATION_WORDS = read_words("relation_words")

NOT_ENTITIES = FUNCTION_WORDS | VERBS | RELATION_WORDS
