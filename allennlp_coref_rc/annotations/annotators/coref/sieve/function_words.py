"""
Closed classes of English words, and verbs that end noun phrases or show who speaks. All in lower case, with plain '.
"""

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
INDEFINITE = frozenset(
    """
    a all an another any both certain each eight every few five four half many nine no one other seven several six
    some such ten three twelve two
    """.split()
)
DETERMINERS = DEFINITE | INDEFINITE

POSSESSIVE_MARKS = frozenset(["'s", "'"])

PREPOSITIONS = frozenset(
    """
    aboard about above across after against along amid among amongst around as at before behind below beneath beside
    besides between beyond but by despite down during except for from in inside into like near of off on onto
    opposite out outside over past per round save since than through throughout till to toward towards under
    underneath unlike until up upon via with within without
    """.split()
)

PLACE_PREPOSITIONS = frozenset("across around at from in into near through throughout toward towards".split())

CONJUNCTIONS = frozenset(
    """
    although and as because but how if lest nor or so than that then though unless until what when whenever where
    whereas wherever whether which while whilst who whom whose why yet
    """.split()
)

AUXILIARIES = frozenset(
    """
    'd 'll 'm 're 's 't 've am are be been being can cannot could dare did do does doing done had has have having is
    may might must n't need not ought shall should used was were will would
    """.split()
)

ADVERBS = frozenset(
    """
    afterwards again ago ahead alone already also altogether always anyhow anyway anywhere apart away back downward
    earlier else enough even ever everywhere far forth forward forwards hardly hence here herein however indeed
    instead just later less maybe meanwhile merely moreover much nearly never nevertheless next nonetheless nor not
    now nowadays nowhere often once only otherwise overhead perhaps please presently quite rather scarcely seldom
    somehow sometimes somewhat somewhere soon still straight suddenly there thereafter therefore thereupon thus
    today together tomorrow tonight too twice very well yesterday yet
    """.split()
)

INTENSIFIERS = frozenset("almost extremely just more most nearly only quite rather so too very".split())
"""Adverbs inside a noun phrase."""

SPEECH_VERBS = frozenset(
    """
    added adds admitted agreed announced answered answers asked asks assented barked began begged breathed called
    chuckled commented concluded continued continues cried cries croaked declared demanded drawled echoed ejaculated
    enquired exclaimed exclaims explained faltered gasped grinned groaned growled grumbled grunted hissed inquired
    inquires insisted interrupted joked laughed moaned mumbled murmured murmurs muttered mutters nodded observed
    observes persisted pleaded proceeded promised protested pursued questioned quoth rejoined remarked remarks
    repeated replied replies responded resumed retorted returned roared said say says screamed shouted shouts sighed
    smiled snapped snarled sobbed stammered suggested teased thought told urged ventured warned went whispered
    whispers yelled
    """.split()
)

VERBS = frozenset(
    """
    accept accepted added admired agreed allow allowed answer answered appear appeared appears arose arrive arrived
    ask asked asks ate became become becomes been began begin begins begun believe believed belonged belongs bent
    blew bought bring broke broken brought built call called came can carried carry caught chose climbed clung come
    comes coming considered continued cried crossed cut dared decided declared did died does drank drew drive driven
    dropped drove dwelt eat entered expected explained fall fallen feared feel feels fell felt find fled flew flung
    followed forgot forgotten fought found gave get gets give given gives go goes going gone got grew grow grown had
    happened has hated have hear heard held help helped hid hoped hung imagined intended is join joined keep keeps
    kept killed knelt knew know known knows laid lay lead leaned learned learnt leave led let lie lies lifted liked
    live lived lives looks lose lost loved made make makes marched married mean means meant meet met moved need
    needed needs opened owed owned paid passed paused perceived played prefer promised pulled pushed put ran rang
    reached read received recognized regarded remained remember remembered remembers replied resolved rode rolled
    rose run runs rushed said sang sank sat saw say says see seem seemed seems seen sees send sent set shook shot
    should showed shrank shut sit slept slid slipped smiled spent spoke sprang spread stand stands staring started
    stay stayed stepped stole stood stopped struck succeeded suffered supposed swam swept swore swung take taken
    takes talk talked taught tell tells think thinks thought threw thrown told took tore touched travel tried tries
    trusted try turned turns understand understands understood uttered waited wake walked walks want wanted wants
    was watched wear went wept were wished woke won wondered wore worked worn would write wrote
    """.split()
)
"""Forms that are verbs in nearly all texts, so that a noun phrase ends before them."""

IMPERSONAL_VERBS = frozenset(
    """
    appeared appears happened happens mattered matters rained rains seemed seems snowed snows
    """.split()
)

CLAUSE_OPENERS = frozenset("for how if that to what when who why".split())
"""Words that begin a clause for which "it" stands, as in "it is clear that"."""

BARE_WORDS = frozenset(
    """
    age air almost anger anything beauty black blood blue bread breakfast careful change clarity coffee confusion
    courage creepy curiosity dark darkness dawn dead death desire destiny dinner door dread dusk dust early either
    election energy evening everything evil excitement exile fact faith famine fate fear fire food freedom fresh
    frustration fun gold good grief guilt happiness hate hatred head heat high holiday hot human hunger hunt ice
    information joy justice knowledge late laughter life light lightning love luck lunch lust magic math midnight
    money more morning most movement music name nature neither new news night no-one noise none noon nothing pain
    panic passion peace people poor power pressure pride progress pure rage rain reaction real reality red relief
    sadness safety satisfaction serendipity shame shock silence sky sleep smile smoke snow some-one somehow
    something sorry sound space spring steam strange summer sunlight sunset sweat tall tea terror thin thing thunder
    time tradition traffic trouble true truth violence war warm warmth water weather wet whatever whichever white
    whoever wind wine winter word work wrong young
    """.split()
)
"""Words that may begin a clause without a determiner and are no names."""
