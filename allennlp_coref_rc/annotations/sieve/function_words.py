"""Closed classes of English words, and the verbs that end a noun phrase or tell who speaks. All in lower case."""

MALE_PRONOUNS = frozenset("he him his himself".split())
FEMALE_PRONOUNS = frozenset("she her hers herself".split())
NEUTER_PRONOUNS = frozenset("it its itself".split())
PLURAL_PRONOUNS = frozenset("they them their theirs themselves 'em".split())
FIRST_SINGULAR = frozenset("i me my mine myself".split())
FIRST_PLURAL = frozenset("we us our ours ourselves".split())
SECOND_PRONOUNS = frozenset("you your yours yourself ye thou thee thy thine thyself yourselves ya yeh yer".split())

POSSESSIVES = frozenset("my your his her its our their thy yer".split())
"""Pronouns that begin a noun phrase."""

REFLEXIVES = frozenset("myself yourself himself herself itself ourselves yourselves themselves thyself".split())

SUBJECTS = frozenset("he she they i we".split())
NEVER_SUBJECTS = POSSESSIVES | frozenset("him me us them".split())

DEFINITE = frozenset("the this that these those".split())
INDEFINITE = frozenset("a an another some any no every each one two three four five six seven eight nine ten twelve "
                       "several many few both all such other certain half".split())  # fmt: skip
DETERMINERS = DEFINITE | INDEFINITE
SINGULAR_DETERMINERS = frozenset("a an another every each this that one".split())

POSSESSIVE_MARKS = frozenset(["'s", "’s", "'", "’"])

PREPOSITIONS = frozenset("""
    aboard about above across after against along amid among amongst around as at before behind below beneath beside
    besides between beyond but by despite down during except for from in inside into like near of off on onto opposite out
    outside over past per round save since than through throughout till to toward towards under underneath unlike until up
    upon via with within without
    """.split())

PLACE_PREPOSITIONS = frozenset("in at from into near through around across towards toward throughout".split())

CONJUNCTIONS = frozenset("""
    and or nor but yet so if because although though while whilst whereas unless until when whenever where wherever whether
    that which who whom whose what why how lest as than then
    """.split())

AUXILIARIES = frozenset("""
    am is are was were be been being have has had having do does did doing done can could may might must shall should will
    would ought need dare used cannot 's 're 've 'll 'd 'm ’s ’re ’ve ’ll ’d ’m n't n’t not 't
    """.split())

ADVERBS = frozenset("""
    again ago ahead alone already also altogether always anyhow anyway anywhere apart away back downward else enough even
    ever everywhere far forth forward forwards hardly hence here herein however indeed instead just less maybe meanwhile
    merely moreover much nearly never nevertheless next nonetheless nor not now nowadays nowhere often once only otherwise
    overhead perhaps please presently quite rather scarcely seldom soon sometimes somehow somewhat somewhere still straight
    there thereafter therefore thereupon thus today together tomorrow tonight too twice very well yesterday yet suddenly
    """.split())

INTENSIFIERS = frozenset("very most more so too rather quite extremely almost nearly only just".split())
"""Adverbs inside a noun phrase."""

SPEECH_VERBS = frozenset("""
    said says say asked asks replied replies answered answers cried cries exclaimed exclaims whispered whispers muttered
    mutters shouted shouts called murmured murmurs remarked remarks observed observes returned added adds continued
    continues began inquired enquired inquires demanded declared responded repeated interrupted told growled snapped
    laughed sighed sobbed screamed yelled suggested agreed admitted explained protested announced insisted ejaculated
    retorted rejoined faltered gasped stammered pleaded begged urged warned promised thought roared hissed croaked drawled
    commented questioned concluded assented mumbled persisted ventured pursued resumed proceeded echoed groaned grunted
    joked teased chuckled grinned smiled nodded breathed moaned snarled barked grumbled quoth went
    """.split())

VERBS = frozenset("""
    accept accepted added admired agreed allow allowed answer answered appear appeared appears arose arrive arrived ask
    asked ate ask asks became become becomes been began begin begins begun believe believed belonged belongs bent blew
    bought bring broke broken brought built came call called came can carried carry caught chose climbed clung come comes
    coming considered continued cried crossed cut dared decided declared did died does drank drew drive driven drove dropped
    dwelt eat entered expected explained fall fallen feared feel feels fell felt find fled flew flung followed forgot
    forgotten fought found gave get gets give given gives go goes going gone got grew grow grown had happened has hated
    have hear heard held help helped hid hoped hung imagined intended is join joined keep keeps kept killed knelt knew know
    knows known laid lay lead led leaned learned learnt leave let lie lies lifted liked live lived lives looks lose lost
    loved made make makes marched married mean means meant meet met moved need needed needs opened owed owned paid passed
    paused perceived played prefer promised pulled pushed put ran rang reached read received recognized regarded remained
    remember remembered remembers replied resolved rode rolled rose run runs rushed said sang sank sat saw say says seem
    seemed seems see seen sees send sent set shook shot should showed shrank shut sit slept slid slipped smiled spent spoke
    sprang spread stand stands staring started stay stayed stepped stole stood stopped struck succeeded suffered supposed
    swam swept swore swung take taken takes talk talked taught tell tells think thinks thought threw thrown told took tore
    touched travel tried tries trusted try turned turns understand understands understood uttered waited wake walks walked
    want wanted wants was watched wear went wept were wished wished woke won wondered wore worked worn would write wrote
    """.split())
"""Forms that are verbs in nearly all texts, so that a noun phrase ends before them."""

IMPERSONAL_VERBS = frozenset("seems seemed appears appeared rains rained snows snowed happens happened matters mattered".split())

CLAUSE_OPENERS = frozenset("that to who when if for how what why".split())
"""Words with which the clause begins that "it" stands for."""
