"""
Closed classes of English words, and verbs that end noun phrases or show who speaks. All in lower case, with plain '.
"""

from allennlp_coref_rc.annotations.annotators.english_words import read_words

MALE_PRONOUNS = frozenset("he him himself his".split())
FEMALE_PRONOUNS = frozenset("her hers herself she".split())
NEUTER_PRONOUNS = frozenset("it its itself".split())
PLURAL_PRONOUNS = frozenset("'em their theirs them themselves they".split())
FIRST_SINGULAR = frozenset("i me mine my myself".split())
FIRST_PLURAL = frozenset("our ours ourselves us we".split())
SECOND_PRONOUNS = frozenset("thee thine thou thy thyself ya ye yeh yer you your yours yourself yourselves".split())

POSSESSIVES = frozenset("her his its my our their thy yer your".split())
"""Pronouns that begin a noun phrase."""

REFLEXIVES = frozenset("herself himself itself myself ourselves themselves thyself yourself yourselves".split())

SUBJECTS = frozenset("he i she they we".split())
NEVER_SUBJECTS = POSSESSIVES | frozenset("him me them us".split())

DEFINITE = frozenset("that the these this those".split())
INDEFINITE = read_words("indefinite")
DETERMINERS = DEFINITE | INDEFINITE

POSSESSIVE_MARKS = frozenset(["'s", "'"])

PREPOSITIONS = read_words("prepositions")

PLACE_PREPOSITIONS = frozenset("across around at from in into near through throughout toward towards".split())

CONJUNCTIONS = read_words("conjunctions")
AUXILIARIES = read_words("auxiliaries")
ADVERBS = read_words("adverbs")

INTENSIFIERS = frozenset("almost extremely just more most nearly only quite rather so too very".split())
"""Adverbs inside a noun phrase."""

SPEECH_VERBS = read_words("speech_verbs")
VERBS = read_words("verbs")
IMPERSONAL_VERBS = read_words("impersonal_verbs")

CLAUSE_OPENERS = frozenset("for how if that to what when who why".split())
"""Words that begin a clause for which "it" stands, as in "it is clear that"."""

BARE_WORDS = read_words("bare_words")
