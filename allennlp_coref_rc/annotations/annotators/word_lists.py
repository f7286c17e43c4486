"""Lists of words that do not name entities, so exact match must not link them."""

from spacy.lang.en.stop_words import STOP_WORDS

FUNCTION_WORDS = frozenset(STOP_WORDS)
"""spaCy's English stop words: determiners, pronouns, prepositions, conjunctions, auxiliaries, numbers and the like."""

VERBS = frozenset(
    """
    afraid ask asked asking asks bring bringing brings brought buy bought buying buys came carried carries carry
    carrying come comes coming discard discarded discarding discards drop dropped dropping drops enter entered entering
    enters feel feeling feels felt find finding finds fit fits fitted fitting found gave get gets getting give given
    gives giving go goes going gone got grab grabbed grabbing grabs hand handed handing hands heard hear hearing hears
    held hold holding holds journey journeyed journeying journeys keep keeping keeps kept knew know knowing known knows
    leave leaves leaving left live lived lives living look looked looking looks lose loses losing lost love loved loves
    made make makes making meet meeting meets met move moved moves moving pass passed passes passing pick picked picking
    picks put puts putting ran receive received receives receiving return returned returning returns run running runs
    said sat saw say saying says see seeing seen sees send sending sends sent show showed showing shown shows sit sits
    sitting speak speaking speaks spoke stand standing stands stay stayed staying stays stood take taken takes taking
    talk talked talking talks tell telling tells think thinking thinks thought threw throw throwing throws told took
    travel traveled traveling travelled travelling travels tried tries try trying turn turned turning turns walk walked
    walking walks want wanted wanting wants went work worked working works
    """.split()
)
"""Forms of common verbs (and "afraid", which is used like one), for texts without part-of-speech tags."""

RELATION_WORDS = frozenset(
    """
    afterwards bigger east following inside larger longer north outside right shorter smaller south west yesterday today
    tomorrow
    """.split()
)
"""Adverbs and adjectives of place, time and size that are no function words."""

NOT_ENTITIES = FUNCTION_WORDS | VERBS | RELATION_WORDS
