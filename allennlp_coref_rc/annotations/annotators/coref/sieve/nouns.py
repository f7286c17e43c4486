"""Common nouns that name persons, groups, places and vehicles: the entities of ACE. All in lower case."""

MALE_NOUNS = frozenset(
    """
    actor admiral bachelor baron baronet bartender bishop blacksmith bloke boatman boy boyfriend bridegroom bro
    brother brother-in-law brute bull businessman butcher butler captain cardinal carpenter cavalryman chairman chap
    clergyman coachman colonel commodore corporal count countryman cowboy curate czar dad daddy dandy deacon doorman
    drake dude duke dutchman earl emperor englishman father father-in-law fellow fiance fiancé fireman fisherman
    footman foreman frenchman freshman friar general gentleman godfather godson grandad granddad granddaddy
    grandfather grandpa grandson greybeard groom gunman guy hangman headmaster heir hero hobo horseman host hunter
    huntsman husband infantryman irishman king knight lad landlord lawman lieutenant logger lord major man marquis
    master milkman mister monarch monk monsieur nephew nobleman old-timer pa padre papa parson patriarch plowboy
    policeman pope postman priest prince ram rascal rector rogue rooster ruffian sahib sailor salesman saloon-keeper
    schoolboy schoolmaster scotchman scotsman scoundrel seaman senor sergeant señor shepherd signor sir sire soldier
    son son-in-law sorcerer spokesman sportsman squire stallion statesman stepbrother stepfather stepson steward
    suitor sultan swain tradesman tramp trapper tsar uncle valet vicar villain viscount waiter warrior watchman
    welshman widower wizard woodsman workman yeoman youth
    """.split()
)

FEMALE_NOUNS = frozenset(
    """
    abbess actress aunt auntie ayah ballerina baroness bride bridesmaid businesswoman chambermaid charwoman countess
    countrywoman cow dame damsel daughter daughter-in-law dressmaker duchess empress enchantress englishwoman ewe
    fiancee fiancée frenchwoman gentlewoman girl girlfriend goddaughter goddess godmother governess granddaughter
    grandma grandmother granny headmistress heiress hen heroine hostess housekeeper housemaid irishwoman lady
    landlady lass lassie laundress lioness ma ma'am madam maid maid-servant maiden maidservant mama mamma mare
    matron midwife milkmaid mistress mom mommy mother mother-in-law mum mummy needlewoman niece noblewoman nun nurse
    nymph policewoman princess prioress quadroon queen saleswoman schoolgirl schoolmistress seamstress servant-girl
    siren sister sister-in-law sorceress spinster spokeswoman stepdaughter stepmother stepsister stewardess waitress
    washerwoman widow wife witch woman
    """.split()
)

PERSON_NOUNS = frozenset(
    """
    acquaintance admirer adult adventurer advocate african agent alien ally amateur ambassador american ancestor
    angel anybody anyone apprentice arab architect aristocrat artist assassin assistant associate athlete attendant
    attorney author baby baker bandit banker barber barrister bearer bedfellow beggar beginner being beloved
    benefactor biologist boarder boatswain bootblack boss broker burglar buyer bystander caller candidate captive
    carrier catholic cavalier champion chancellor chaperon chaplain character chef chemist chief chieftain child
    christian citizen classmate clerk client cobbler colleague colonist commander commissioner companion composer
    comrade conductor confidant confidante constable convict cook cop councillor counsel counsellor courtier cousin
    coward creature creditor criminal critic customer dancer darling dealer dear debtor demon dentist descendant
    detective devil dictator diplomat director doctor driver drunkard dwarf editor electrician elf emigrant employee
    employer enemy engineer european everybody everyone executioner expert explorer fairy farmer figure foe fool
    foreigner foundling friend gambler gardener genius german ghost giant god goddess governor graduate grandchild
    grandparent grocer guard guardian guest guide harpooner heathen heir helmsman herald hermit historian hostage
    idiot immigrant indian individual infant inhabitant innkeeper inspector interpreter intruder invalid italian
    jailer jester jew jeweler jeweller journalist judge juror kid killer laborer labourer lawyer leader lecturer
    liar librarian listener little-one loafer lodger lookout loser lover lunatic madman magistrate manager marshal
    martian mate mayor mechanic member merchant messenger messmate mexican miller miner minister minstrel missionary
    monster mortal murderer musician musketeer narrator native navigator negro neighbor neighbour newcomer newsboy
    no-one noble nobody novelist observer occupant officer official onlooker operator opponent orphan outlaw
    overseer owner page painter parent partner party passenger pastor patient patron pauper peasant peer persian
    person personage philosopher physician physicist pilgrim pilot pioneer pirate planter player playfellow playmate
    playwright poet politician porter preacher predecessor president prisoner professor prophet proprietor
    prospector protector protestant psychiatrist publisher pupil ragamuffin reader rebel recruit relation relative
    reporter resident reverend rider rival robber robot roommate ruler russian saint savage scholar schoolfellow
    schoolmate scientist scout sculptor secretary seller senator sentinel sentry servant settler sexton sheriff
    shoemaker shopkeeper sibling simpleton singer slave smuggler solicitor somebody somebody-else someone soul
    sovereign spaniard speaker spectator spirit spouse spy stranger student subject successor surgeon survivor
    suspect sweetheart tailor teacher teenager tenant theologian thief toddler tourist trader traitor translator
    traveler traveller turk tutor twin tyrant undergraduate undertaker urchin vampire veteran victim visitor waif
    wanderer ward werewolf whaler widow-woman winner witness worker wretch writer youngster
    """.split()
)

SINGULAR_GROUPS = frozenset(
    """
    agency aristocracy army artillery assembly association audience band bank bar battalion board brigade
    brotherhood cavalry church clan class clergy club committee community company congregation congress corporation
    council couple court crew crowd escort family firm fleet gang garrison generation gentry government group guard
    host household humanity infantry institution jury league majesty majority mankind militia ministry minority mob
    multitude nation navy nobility order organisation organization pair parliament party police population posse
    press public race regiment senate sisterhood society squad staff team throng tribe troop union
    """.split()
)

PLACE_NOUNS = frozenset(
    """
    abbey abode academy airport alley apartment arbor arbour area arena asylum attic avenue backyard bakery balcony
    ballroom bank bar-room barn barracks basement bathroom battlefield bay beach bed-room bedchamber bedroom block
    boarding-house bog border breakfast-room bridge brook building bungalow cabin cafe café camp canyon cape castle
    cathedral cave cavern cell cellar cemetery chamber chapel church churchyard cinema city classroom cliff closet
    coast college colony common compartment conservatory continent convent corner corridor cottage country county
    court courthouse courtroom courtyard creek crossroads crypt dale depot desert dining-room district dock doorway
    downstairs downtown drawing-room dungeon dwelling earth east edifice empire establishment estate factory farm
    farmhouse field fireside flat footpath forest fort fortress frontier gallery gaol garden garret gate gateway
    glen globe gorge grave graveyard green greenhouse grounds gulf gymnasium habitation hall hallway hamlet harbor
    harbour hearth heath highway hill hillside hilltop hollow home homestead hospital hotel house hut indoors inn
    island isle jail jungle kingdom kitchen lake land landing lane lawn library lighthouse living-room lobby lodge
    lodging lodging-house lodgings loft manor mansion market marsh meadow mill mine monastery moon moor mosque mount
    mountain museum nation neighborhood neighbourhood north nursery ocean office orchard outdoors palace pantry
    parish park parlor parlour passage pasture path pathway peak peninsula pier place plain planet plantation
    playground plaza pond pool porch port prairie premises prison province pub quarters quay ranch ravine realm
    region republic residence restaurant ridge river riverbank road room rooms saloon school schoolhouse schoolroom
    sea seashore seaside settlement shack shed shop shore sitting-room slope smoking-room south spring square stable
    stadium staircase stairs stairway state station store strait stream street structure study suburb suite
    summer-house summit sun swamp synagogue tavern temple tenement terrace territory theater theatre tomb tower town
    town-hall track trail tunnel underworld university upstairs vale valley vault veranda verandah vestibule villa
    village vineyard ward warehouse waterfall well west wharf wilderness wood woods world yard zone
    """.split()
)

VEHICLE_NOUNS = frozenset(
    """
    aeroplane aircraft airplane automobile balloon barge bicycle boat brig buggy bus cab canoe car carriage cart
    chaise chariot coach ferry ferryboat frigate gig hansom helicopter jeep jet lifeboat limousine locomotive lorry
    motor-car motorcar motorcycle omnibus phaeton plane raft rocket rowboat schooner ship sleigh sloop spacecraft
    spaceship stage stagecoach steamboat steamer submarine taxi train tram trolley truck tug van vessel waggon wagon
    whaleboat yacht
    """.split()
)

ANIMAL_NOUNS = frozenset(
    """
    animal ape bear beast bird cat colt crow deer dog donkey duck elephant fish fox goat goose horse hound kitten
    lamb lion monkey mouse mule owl parrot pig pony puppy rabbit rat raven sheep snake tiger whale wolf
    """.split()
)

IRREGULAR_PLURALS = {
    "brethren": "brother",
    "cattle": "cow",
    "children": "child",
    "folk": "person",
    "folks": "person",
    "geese": "goose",
    "gentlefolk": "person",
    "heroes": "hero",
    "men": "man",
    "mice": "mouse",
    "negroes": "negro",
    "peasantry": "peasant",
    "people": "person",
    "thieves": "thief",
    "wives": "wife",
    "wolves": "wolf",
    "women": "woman",
}
"""Plurals, and words that are plural in themselves, with the singular that tells gender and kind."""

KIN = frozenset(
    """
    aunt auntie baby brother cook dad daddy father grandfather grandma grandmother grandpa granny ma ma'am madam
    mama mamma mom mommy mother mum mummy nurse pa papa pop sir sister uncle
    """.split()
)
"""Nouns that are used like names, without a determiner."""
