"""Common nouns that name persons, groups, places and vehicles: the entities of ACE. All in lower case."""

MALE_NOUNS = frozenset("""
    man boy gentleman father dad daddy papa pa son brother uncle grandfather grandpa grandson nephew husband widower
    bridegroom groom fellow lad chap bloke guy king prince duke earl lord baron knight squire monk friar priest bishop
    vicar parson curate clergyman rector deacon pope cardinal emperor policeman postman fireman businessman salesman
    spokesman chairman statesman nobleman workman tradesman countryman fisherman seaman sportsman englishman frenchman
    irishman scotchman scotsman welshman dutchman yeoman cavalryman infantryman horseman huntsman footman coachman boatman
    doorman milkman watchman foreman woodsman sailor soldier butler valet waiter landlord steward wizard sorcerer schoolboy
    cowboy plowboy bachelor stepfather godfather stepson godson stepbrother son-in-law father-in-law brother-in-law monarch
    sultan czar tsar sahib shepherd blacksmith carpenter butcher lieutenant captain colonel sergeant corporal admiral
    general major commodore marquis count viscount baronet hero warrior actor host heir fiancé fiance boyfriend sire sir
    mister monsieur signor señor senor padre bull stallion rooster drake ram swain suitor youth hunter trapper logger
    hobo tramp patriarch schoolmaster headmaster master bartender saloon-keeper gunman lawman hangman freshman
    old-timer greybeard dude grandad granddad granddaddy bro dandy rogue villain scoundrel rascal ruffian brute
    """.split())

FEMALE_NOUNS = frozenset("""
    woman girl lady mother mom mum mamma mama ma mommy mummy daughter sister aunt auntie grandmother grandma granny niece
    granddaughter wife widow bride bridesmaid queen princess duchess countess baroness nun nurse governess maid housemaid
    maiden maid-servant maidservant chambermaid housekeeper waitress actress heiress mistress hostess landlady stewardess
    witch sorceress enchantress goddess schoolgirl lass lassie damsel dame spinster stepmother godmother stepdaughter
    goddaughter stepsister daughter-in-law mother-in-law sister-in-law empress abbess milkmaid seamstress laundress
    dressmaker midwife matron heroine fiancée fiancee girlfriend madam ma'am ayah nymph siren hen mare cow ewe lioness
    businesswoman policewoman saleswoman englishwoman frenchwoman irishwoman gentlewoman noblewoman countrywoman spokeswoman
    schoolmistress headmistress negress jewess quadroon gypsy-woman wench hag ballerina prioress co-wife washerwoman
    charwoman needlewoman servant-girl
    """.split())

PERSON_NOUNS = frozenset("""
    person child baby infant toddler kid teenager adult somebody someone anybody anyone everybody everyone nobody no-one
    friend companion comrade colleague partner associate ally enemy foe rival opponent stranger visitor guest caller
    neighbor neighbour acquaintance cousin parent grandparent grandchild twin sibling relative relation orphan ward
    guardian descendant ancestor spouse lover sweetheart darling dear beloved
    doctor physician surgeon dentist psychiatrist lawyer attorney barrister solicitor judge magistrate juror clerk teacher
    professor tutor lecturer scholar student pupil undergraduate graduate scientist chemist physicist biologist engineer
    architect artist painter sculptor musician singer dancer composer poet author writer novelist playwright journalist
    reporter editor publisher critic philosopher historian theologian preacher minister pastor reverend missionary prophet
    saint pilgrim hermit detective inspector constable officer cop sheriff marshal spy agent guard jailer prisoner convict
    criminal thief robber burglar murderer killer assassin pirate smuggler outlaw bandit gambler drunkard beggar pauper
    president senator governor mayor chancellor secretary ambassador politician diplomat councillor commissioner official
    leader chief chieftain boss manager director owner proprietor employer employee worker laborer labourer farmer peasant
    gardener miner miller baker tailor cobbler shoemaker jeweller jeweler barber cook chef servant slave driver rider
    pilot navigator mate commander recruit veteran scout guide traveler traveller passenger tourist wanderer explorer
    adventurer prospector settler colonist pioneer emigrant immigrant foreigner native savage indian negro african
    american european german italian spaniard russian mexican persian turk arab jew christian catholic protestant heathen
    buyer seller merchant trader banker broker dealer shopkeeper grocer innkeeper porter messenger conductor operator
    mechanic electrician apprentice assistant attendant librarian patient victim witness suspect survivor invalid
    member citizen inhabitant resident tenant lodger boarder occupant customer client spectator bystander onlooker
    observer listener reader speaker narrator expert amateur genius fool idiot lunatic madman coward traitor liar
    creature being mortal soul wretch monster devil demon ghost spirit angel fairy god goddess giant dwarf elf
    vampire werewolf alien martian robot player athlete champion winner loser beginner newcomer intruder captive hostage
    tyrant dictator rebel noble aristocrat peer subject ruler sovereign heir successor predecessor candidate
    individual personage figure character somebody-else party benefactor patron protector admirer counsellor confidant
    confidante chaperon bearer carrier undertaker sexton chaplain sentry sentinel lookout helmsman boatswain harpooner
    whaler planter overseer foundling urchin waif newsboy bootblack loafer ragamuffin playmate schoolfellow schoolmate
    classmate roommate bedfellow messmate playfellow widow-woman little-one youngster simpleton creditor debtor
    advocate counsel musketeer cavalier courtier page herald minstrel jester executioner interpreter translator
    """.split())

SINGULAR_GROUPS = frozenset("""
    family household couple pair crowd mob gang band party crew group army navy regiment battalion brigade company troop
    squad team tribe clan nation race class committee council jury court government parliament congress senate ministry
    police audience congregation assembly society club association institution firm corporation organization organisation
    union league board staff population public gentry nobility aristocracy clergy bar church community
    multitude throng host majority minority posse escort garrison fleet militia cavalry infantry artillery guard generation
    agency brotherhood sisterhood order bank press mankind humanity majesty
    """.split())

PLACE_NOUNS = frozenset("""
    place world earth planet globe moon sun country land nation state county city town village hamlet settlement suburb
    district neighborhood neighbourhood parish province kingdom realm empire republic colony territory region area zone
    frontier border home house cottage hut cabin shack mansion palace castle tower fort fortress villa manor hall lodge
    bungalow apartment flat dwelling residence habitation abode homestead farm farmhouse ranch plantation estate barn
    stable shed room chamber bedroom bedchamber parlor parlour drawing-room dining-room sitting-room living-room kitchen
    pantry cellar basement attic garret loft library study nursery schoolroom classroom bathroom hallway corridor passage
    lobby vestibule staircase stairs stairway landing porch veranda verandah balcony terrace gallery hall ballroom
    breakfast-room bed-room bar-room smoking-room ward closet office shop store market bakery tavern inn pub saloon hotel
    restaurant café cafe boarding-house lodging-house school schoolhouse college university academy church chapel
    cathedral abbey monastery convent temple mosque synagogue cemetery churchyard graveyard tomb grave vault hospital
    asylum prison jail gaol dungeon cell barracks camp factory mill mine warehouse theatre theater museum cinema station
    depot airport harbor harbour port dock wharf quay pier lighthouse bridge tunnel street road lane avenue alley highway
    path pathway footpath trail track court courtyard yard backyard square plaza park garden orchard vineyard meadow field
    pasture lawn green common heath moor swamp marsh bog forest wood woods jungle wilderness desert prairie plain valley
    vale dale glen gorge canyon ravine hollow hill hillside hilltop mountain mount peak summit cliff ridge slope cave
    cavern river stream brook creek lake pond pool sea ocean bay gulf strait coast shore beach seashore seaside bank
    riverbank island isle peninsula cape waterfall spring well continent north south east west upstairs downstairs indoors
    outdoors building edifice block tenement structure establishment premises downtown courthouse courtroom town-hall
    grounds arena stadium gymnasium playground battlefield crossroads corner gate gateway doorway hearth fireside
    summer-house greenhouse conservatory crypt arbour arbor lodging lodgings quarters suite rooms compartment underworld
    """.split())

VEHICLE_NOUNS = frozenset("""
    ship boat vessel steamer steamboat schooner yacht canoe barge raft sloop brig frigate ferry ferryboat submarine
    carriage coach cab hansom wagon waggon cart chariot sleigh buggy gig phaeton chaise stage stagecoach omnibus bus train
    locomotive car automobile motor-car motorcar taxi truck van lorry tram trolley jeep limousine motorcycle bicycle
    airplane aeroplane plane aircraft jet helicopter balloon rocket spaceship spacecraft lifeboat rowboat tug whaleboat
    """.split())

ANIMAL_NOUNS = frozenset("""
    dog cat horse pony puppy kitten bird rabbit mouse rat fox wolf bear lion tiger elephant ape monkey pig goat sheep lamb
    duck goose fish whale snake donkey mule beast animal hound colt parrot owl crow raven deer
    """.split())

IRREGULAR_PLURALS = {
    "men": "man", "women": "woman", "children": "child", "wives": "wife", "people": "person", "folk": "person",
    "folks": "person", "gentlefolk": "person", "ladies": "lady", "thieves": "thief", "lice": "louse", "mice": "mouse",
    "persons": "person", "peasantry": "peasant", "heroes": "hero", "negroes": "negro", "cattle": "cow",
    "wolves": "wolf", "geese": "goose", "brethren": "brother", "youths": "youth", "bachelors": "bachelor",
}  # fmt: skip
"""Plurals, and words that are plural in themselves, with the singular that tells gender and kind."""

KIN = frozenset("""
    mother mom mum mamma mama ma mommy mummy father dad daddy papa pa pop grandmother grandma granny grandfather grandpa aunt
    auntie uncle sister brother baby cook nurse sir madam ma'am
    """.split())
"""Nouns that are used like names, without a determiner."""
