"""
Given names, titles and places, all in lower case. They show the gender of a name, or that a name is not a person's.
"""

MALE_NAMES = frozenset(
    """
    aaron abel abner abraham adam adrian aidan alan albert alec alex alexander alfie alfred algernon allan allen
    alvin ambrose amos anatole andrew andy angus anselm anthony antonio archibald archie arnold arthur asher ashton
    augustus austin barnabas barnaby barney barry bartholomew basil ben benedict benjamin bennett bernard bert
    bertie bertram bill billy blake bob bobby boris brad bradley brandon brendan brent brett brian bruce bruno bryan
    byron caleb calvin cameron carl carlos cecil cedric chad charles charley charlie chester chris christian
    christopher clarence claude clayton clement cliff clifford clive clyde cody colin connor conrad corey cornelius
    craig curtis cyril cyrus dale damian damien dan daniel danny darcy darren dave david dean declan denis dennis
    derek dexter dick diego dmitri dominic don donald douglas drew duane duncan dustin dwight dylan earl ebenezer ed
    eddie edgar edmond edmund eduardo edward edwin eli elias elijah elliott ellis elmer elton emil emmanuel enoch
    enrique ephraim eric ernest ernie errol ethan eugene eustace evan evelyn ezra felix ferdinand fergus finn floyd
    francis francisco francois frank franklin fred freddie freddy frederic frederick gabe gabriel gareth gary gavin
    geoff geoffrey george gerald gerard gideon gilbert giles giovanni glenn godfrey gordon graham grant greg gregory
    guido gus gustav guy hal hank hans harold harris harry harvey hector henri henry herbert herman hezekiah hiram
    homer horace horatio howard hubert huck hugh hugo humphrey hyacinth ian ichabod igor ike ira irving isaac isaiah
    ishmael ismael israel ivan ivor jabez jack jackson jacob jacques jake james jamie jared jarvis jason jasper
    javier jay jed jeff jefferson jeffrey jem jeremiah jeremy jerome jerry jesse jethro jim jimmie jimmy job joe
    joel joey johann john johnnie johnny jon jonah jonas jonathan jordan jorge jose josef joseph josh joshua josiah
    juan jude jules julian julio julius justin karl keith ken kenneth kenny kevin kirk kurt kyle lambert lance larry
    laurence laurie lawrence leander lee len lennie leo leon leonard leopold leroy leslie lester levi lewis liam
    linus lionel lloyd logan lorenzo lou louis lucas lucian lucius luigi luis luke luther lyle magnus malcolm manuel
    marco marcus mario marius mark marmaduke marshall martin marvin mason matt matthew maurice max maximilian
    maxwell melvin merlin michael miguel mike miles milton mitch mitchell mordecai morgan morris mortimer moses moss
    murray nat nathan nathaniel neal ned neil nelson neville nicholas nick nicolas nigel noah noel norman oliver
    ollie omar orlando orville oscar osmond oswald otis otto owen pablo paddy pat patrick paul pedro percival percy
    perry pete peter phil philip phillip phineas pierre preston prospero quentin quincy rafael ralph ramon randall
    randolph randy raoul raphael ray raymond reggie reginald reuben rex ricardo richard richie rick rickie ricky rob
    robbie robert robin rod roderick rodney roger roland romeo ron ronald ronnie rory ross rowan roy rudolf rudolph
    rufus rupert russell ryan salvatore sam sammy samson samuel saul scott sean sebastian sergei seth seymour shane
    shaun sidney silas silvester simon solomon spencer stan stanley stefan stephen steve steven stewart stuart sven
    sydney sylvester tad ted teddy terence terrence terry theo theodore thomas tim timmy timothy titus tobias toby
    todd tom tommy tony travis trent trevor tristan troy tybalt tyler tyrone ulysses uriah valentine vernon victor
    vince vincent virgil vladimir wade waldo wallace wally walter warren wayne wendell wesley wilbur wilfred wilhelm
    will willard william willie willis willy winston wyatt xavier zach zachary zack zeke
    """.split()
)

FEMALE_NAMES = frozenset(
    """
    abby abigail ada adela adelaide adele adeline adriana agatha agnes aileen aimee alana alberta alejandra
    alexandra alexandria alexia alexis alice alicia aline alison allegra allison alma althea alyssa amabel amanda
    amber amelia amy ana anastasia andrea angela angelica angelina angie anita ann anna annabel annabelle anne
    annette annie antoinette antonia april arabella ariana ariel arlene ashley astrid athena audrey augusta aurelia
    aurora ava barbara bathsheba beatrice beatrix becky belinda bella bernadette bernice bertha bess bessie beth
    bethany betsy betty beulah beverly bianca blanche bonnie brenda briana bridget brigitte bronwyn brooke camilla
    candace cara carla carlotta carmen carol carolina caroline carrie casey cassandra cassidy cassie catalina
    catharine catherine cathleen cathy cecilia cecily celeste celia celine charity charlene charlotte chelsea cherie
    cheryl chloe christabel christina christine cindy claire clara clare clarissa claudia clementine cleopatra
    clotelle colleen connie constance consuelo cora cordelia corinne cornelia courtney crystal cynthia daisy dana
    danielle daphne darlene dawn deanna debbie deborah deirdre delia delilah della denise desdemona desiree diana
    diane dinah dolly dolores donna dora doreen doris dorothea dorothy dulcie ebony edith edna effie eileen elaine
    eleanor elena elfrida elinor elisa elisabeth elise eliza elizabeth ella elle ellen ellie elnora eloise elsa
    elsie elspeth elvira emilia emily emma erica erika erin ernestine esmeralda estella estelle esther ethel etta
    eugenia eugenie eunice euphemia eva evangeline eve evelina evie faith fanny faye felicia felicity fern fiona
    flora florence florrie flossie frances francesca frankie freda frieda gabriela gabrielle gail gemma genevieve
    georgia georgiana georgina geraldine germaine gertie gertrude gillian gina ginger ginny gisela giselle gladys
    glenda glinda gloria goldie grace greta gretchen gretel griselda guinevere gwen gwendolen gwendolyn hannah
    harriet hattie hazel heather hedda heidi helen helena helga henrietta hermia hermione hester hetty hilary hilda
    hope hortense ida imogen ingrid irene iris irma isabel isabella isabelle isadora isobel isolde ivy jacqueline
    jade jan jana jane janet janice janie jasmine jean jeanette jeanne jemima jenna jennie jennifer jenny jess
    jessica jessie jill jo joan joanna joanne jocelyn jodie josephine josie joy joyce juanita judith judy julia
    juliana julianne julie juliet june juno karen karin kat kate katharine katherine kathleen kathryn kathy katie
    katrina kay kayla kelly kelsey kendra kiersten kim kimberly kirsten kirsty kitty kristen kristin kristina lacey
    lana lara laura laurel lauren lavinia leah leila lena leonora leticia letty libby lila lilian lilith lillian
    lily lina linda lisa livia liz liza lizzie lois lola lora loretta lorna lorraine lottie louisa louise lucia
    lucilla lucille lucinda lucretia lucy luella luisa lulu lydia lynette lynn mabel macy maddie madeleine madeline
    madge mae magdalena maggie maisie mamie mandy marcella marcia margaret margery margie margot marguerite maria
    marian marianne marie marietta marilla marilyn marina marion marjorie marlene marsha martha mary mathilda
    matilda mattie maud maude maura maureen mavis maxine may meg megan melanie melinda melissa melody mercedes mercy
    meredith mia michelle mildred millie milly mimi mina mindy minerva minnie miranda miriam moira mollie molly mona
    monica morgana muriel myra myrtle nadia nadine nan nana nancy naomi natalia natalie natasha nell nellie nelly
    nettie nicola nicole nina nora noreen norma octavia odette olga olive olivia ophelia pam pamela pansy patience
    patricia patsy patty paula paulette pauline pearl peg peggy penelope penny petra petunia phoebe phyllis pippa
    polly portia priscilla prudence rachel ramona rebecca regina rena renata renee rhoda rhonda rita roberta robyn
    rosa rosalie rosalind rosalyn rosamond rosamund rosanna rose rosemary rosie rowena roxanne ruby ruth sabina
    sabrina sadie sally samantha sandra sandy sara sarah sasha savannah scarlett selena selina selma serena shannon
    sharon sheila shelley sherry shirley sibyl sierra simone sofia sonia sophia sophie stacey stacy stella stephanie
    sue summer susan susanna susannah susie suzanne sybil sylvia tabitha tamara tammy tanya tara tatiana tess tessa
    thea thelma theodora theresa thora tiffany tilda tilly tina tracy trina trudy una ursula valerie vanessa vera
    verity veronica vicky victoria viola violet violetta virginia vivian vivien wanda wendy wilhelmina wilma
    winifred winnie yolanda yvette yvonne zelda zena zoe
    """.split()
)

EITHER_NAMES = frozenset(
    """
    alex ashley casey charlie chris dana drew evelyn frankie gale jamie jean jess jessie jo jordan kelly kim kit
    laurie lee leslie lindsay lindsey lynn marion max morgan nicky pat quinn riley robin rowan sam sandy sasha
    shannon shelley sidney skyler stacey sydney taylor terry tracy vivian
    """.split()
)
"""Names that both men and women have."""

ALSO_WORDS = frozenset(
    """
    abby amber angel april art ash aurora autumn bess bill blake bonnie brad brook brooke buck candy carol charity
    chase chuck clay cliff cody crystal daisy dale dawn dean dick dolly don drew earl ebony eve faith fay fern finn
    flora frank gail gene ginger glen grace grant guy harry hazel heather homer hope iris ivy jack jade jay jean
    jerry jersey job joy june junior king lance lane laurel lee levy lily lot lou mark marshall mason max may melody
    mercy mike miles miller mitch moss myrtle nan nick norm olive pat patience patsy patty pearl peg penny perry pip
    piper poppy prudence ray reed rex rich rob rod roger rose rosemary rowan roy ruby rusty sally sandy savannah
    scarlett scout sean sherry sky spencer stew storm sue summer ted terry tom tony trent troy valentine victor
    victoria viola violet virginia wade warren will willow winter woody
    """.split()
)
"""Names that are also words. In lower-cased text they are not taken for names."""

MALE_TITLES = frozenset(
    """
    abbot abbé baron brother citoyen count don duke earl esq esq. father friar grandfather herr king lord m. marquis
    master mister monsieur mr mr. prince sahib senor señor signor sir squire uncle viscount
    """.split()
)

FEMALE_TITLES = frozenset(
    """
    aunt auntie baroness countess dame duchess frau fraulein fräulein grandmother lady madam madame mademoiselle
    miss mistress mlle mme mme. mother mrs mrs. ms ms. princess queen senora señora señorita signora signorina
    sister
    """.split()
)

TITLES = frozenset(
    """
    admiral agent ambassador archbishop baronet bishop capt. captain cardinal chancellor chief col. colonel
    commander commodore comrade constable corporal cousin deacon detective doctor dr dr. emperor gen. general
    governor inspector judge justice lieut. lieutenant lt. major marshal mayor minister nurse officer pope president
    private prof. professor rev rev. reverend saint secretary senator sergeant sgt. sheriff
    """.split()
)

PLACE_NAMES = frozenset(
    """
    afghanistan africa alabama alaska albania alexandria algeria alps amazon america amsterdam antarctica arabia
    argentina arizona arkansas asia athens atlanta atlantic australia austria avon babylon baghdad baltimore bangkok
    barcelona bath bavaria beijing belfast belgium belgravia berkshire berlin birmingham bohemia bolivia bombay
    bordeaux bosnia boston brazil brighton bristol britain brittany broadway bronx brooklyn brussels budapest
    buffalo bulgaria burgundy burma cairo calais calcutta california cambodia cambridge canada canterbury caribbean
    carolina ceylon charleston cheshire chicago chile china cincinnati cleveland cologne colombia colorado columbia
    connecticut constantinople copenhagen corfu cornwall crete croatia cuba cumberland cyprus dakota dallas damascus
    danube delaware delhi denmark denver derbyshire detroit devon devonshire dorset dover dresden dublin durham
    earth edinburgh egypt england essex estonia ethiopia europe everest exeter finland florence florida france
    frankfurt galway geneva genoa germany ghana glasgow gloucester gloucestershire greece greenland greenwich
    guatemala guinea hamburg hampshire harlem harvard havana hawaii hertfordshire himalayas holborn holland
    hollywood houston hudson hungary iceland idaho illinois india indiana indies indonesia iowa iran iraq ireland
    israel istanbul italy jamaica japan jerusalem jordan kansas kensington kent kentucky kenya korea kuwait
    lancashire lebanon leeds leicester leicestershire leipzig liverpool london louisiana lyons madrid maine malaysia
    malta manchester manhattan manitoba margate marseilles maryland massachusetts mecca mediterranean melbourne
    memphis mexico miami michigan milan milwaukee minneapolis minnesota mississippi missouri montana montreal
    morocco moscow munich naples nebraska nepal netherlands nevada newcastle niagara nigeria nile norfolk normandy
    northampton northamptonshire norway nottingham ohio oklahoma ontario oregon oslo oxford oxfordshire pacific
    pakistan palestine panama paraguay paris pennsylvania persia peru petersburg philadelphia philippines piccadilly
    pittsburgh plymouth poland polynesia portland portsmouth portugal prague provence prussia quebec rhine rhineland
    rio rochester rome russia salisbury saxony scandinavia scotland seattle serbia shanghai sheffield shropshire
    siberia sicily singapore slovakia soho somalia somerset somersetshire southampton spain stockholm sudan suffolk
    surrey sussex sweden switzerland sydney syria taiwan tennessee texas thailand thames tibet tokyo toronto
    toulouse trafalgar transylvania troy tunis turkey tuscany tyrol uganda ukraine ulster utah vancouver venezuela
    venice vermont versailles vienna vietnam virginia wales warsaw warwickshire washington waterloo wellington
    wessex westminster wiltshire winchester windsor wisconsin worcester wyoming yemen york yorkshire zambia zealand
    zimbabwe zurich
    """.split()
)

PLACE_HEADS = frozenset(
    """
    abbey academy alley asylum avenue bank bar bay beach ben bridge building castle cathedral cemetery chapel church
    city coast college common corner cottage county court creek desert district drive empire estate farm ferry
    forest garden gardens gate grange green grove hall harbor harbour heath heights hill hills hospital hotel house
    inn island islands isle junction kingdom lake lakes land lane library lodge lough manor mansion market mill
    mills mount mountain mountains mt mt. museum north ocean palace parish park parsonage place plain plains planet
    point pond port prison ranch rectory republic ridge river road rock row rue school sea shore sound south square
    st. state states station strait street streets swamp tavern temple terrace theater theatre tower town union
    university vale valley view villa village ward west wharf wood woods yard zoo
    """.split()
)

GROUP_HEADS = frozenset(
    """
    army association bank bureau committee company congress corporation council department family force government
    guard institute league ministry navy office order parliament party police regiment senate society team times
    """.split()
)

NOT_NAMES = frozenset(
    """
    a african ah alas amen american april august ay aye bah behold bible book british bye catholic chapter chapters
    chinese christian christmas contents damn december dutch easter egyptian eh english english-speaking european
    farewell february french friday german god goodbye gothic greek hallo heaven hell hello hey hi hullo hurrah i
    i'll i'm i've ii iii indian internet introduction irish italian iv ix january japanese jewish july june latin
    latter-day letter lo march michaelmas mohammedan monday nay no november o october oh ok okay part please pooh
    preface protestant roman russian sabbath saturday scotch scottish section september sorry spanish sunday
    testament thank thanks thursday tuesday turkish vi victorian vii viii volume wednesday well welsh xi xii yes
    """.split()
)
"""Capitalised words that name no person, place or organisation: dates, languages, exclamations, headings."""
