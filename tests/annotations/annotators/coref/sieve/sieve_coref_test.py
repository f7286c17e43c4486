from itertools import chain

import pytest
from allennlp_models.coref.metrics.conll_coref_scores import ConllCorefScores
from hypothesis import example, given, settings
from hypothesis import strategies as st

from allennlp_coref_rc.annotations import AnnotatedText
from allennlp_coref_rc.annotations.annotators import SieveCoref
from allennlp_coref_rc.annotations.annotators.coref.sieve.quotes import find_quotes
from allennlp_coref_rc.annotations.annotators.lexicon import NOUNS, PLURAL, SINGULAR
from allennlp_coref_rc.annotations.formats import read_conll_2012
from tests.annotations.texts import lists, text_of
from tests.shared import LITBANK, needs_litbank


def clusters(text, **options):
    """The clusters, each the texts of its mentions."""
    return SieveCoref(**options).annotate(text_of(text)).cluster_texts


def linked(text, one, other, **options):
    return any(one in cluster and other in cluster for cluster in clusters(text, **options))


ALL_CLUSTERS = {
    # Names
    "We met Quorn in Leeds . Poor Quorn was ill . Leeds was cold .": "Quorn|Poor Quorn; Leeds|Leeds",
    "Precisely so . We met Brown precisely then . Precisely , Brown .": "Brown|Brown",
    'It was said : " Precisely . " And then : " Precisely . "': "",
    "I saw Newland Archer . Then Archer left . At home Newland slept .": "Newland Archer|Archer|Newland",
    # Titles and genders keep a family apart, and a husband's name is not his wife's.
    "I saw Mr. Charles Pett and Mrs. Pett . Then Mr. Pett left . Then Mrs. Pett left . Then Miss Pett left .": (
        "Mr. Charles Pett|Mr. Pett; Mrs. Pett|Mrs. Pett"
    ),
    "I saw Newland Archer . I saw Mrs. Newland Archer . I saw Newland Archer .": (
        "I|I|I; Newland Archer|Newland Archer"
    ),
    # Dates and languages are no names.
    "It was on Monday . Then Monday passed in English . In English it was Monday .": "",
    # Adjectives belong to the name, but not the words of another phrase.
    "It was the famous Quorn . The famous Quorn left .": "the famous Quorn|The famous Quorn",
    "It was the question Quorn asked . Then Quorn left .": "Quorn|Quorn",
    "Tom & Mary Smith came . He sat . She slept .": "Tom|He; Mary Smith|She",
    # Noun phrases: a definite one goes to the latest with its words.
    "A tall man met a small man . The tall man sat . The man ran . A man sang .": (
        "A tall man|The tall man|The man"
    ),
    "No man came . The man slept .": "",
    "A boy sat . The boys ran .": "",
    "Tom 's sister sat . Alice 's sister ran . Tom 's sister sang .": "Tom|Tom; Tom 's sister|Tom 's sister",
    "Well , the doctor left . We slept well .": "",
    # "The garden gate" is no garden.
    "The garden slept . The garden wall fell .": "",
    "The garden slept . The garden grew .": "The garden|The garden",
    # Pronouns
    "John met Mary and the boys . She saw him and they ran .": "John|him; Mary|She; the boys|they",
    "A family came . They sat .": "A family|They",
    "The father of his wife died .": "",
    # Speakers
    '" I saw you , " said Mary . " You saw me , " said John .': "I|Mary|You; you|me|John",
    "I sat . My wife came . He saw me .": "I|My|me",
    'I sat . " I am ill , " said John . I left .': "I|I; I|John",
    "CHAPTER I We sat . I ran .": "",
    'Ann said , " I love my dog . " Bob said , " I run . "': "Ann|I|my; Bob|I",
    'Ann asks " Am I late ? " Bob replies " I am , too . "': "Ann|I; Bob|I",
    '" I am ill , " said Ann . Bob said , " I am well . "': "I|Ann; Bob|I",
    'Ann said , " I am ill . " " I am well , " said Bob .': "Ann|I; I|Bob",
    # Lower-cased text
    "silence fell . then silence fell again . may will grant grace . time may grant will .": "",
    "there was grace . it was grace .": "",
}
"""By the text all of its clusters."""


@pytest.mark.parametrize("text", ALL_CLUSTERS)
def test_all_clusters(text):
    assert clusters(text) == lists(ALL_CLUSTERS[text])


SOME_CLUSTERS = {
    "A very old man met a tall , thin man . The very old man left . The tall , thin man sat .": (
        "A very old man|The very old man; a tall , thin man|The tall , thin man"
    ),
    "Mary saw her mother . Jane left . Mary called her mother .": "her mother|her mother",
    "Mother went out . We waited for mother there .": "Mother|mother",
    "He left the town of his father . The town of his father slept . His father slept .": (
        "the town of his father|The town of his father; his father|his father|His father"
    ),
    # A name of unknown gender gets that of the pronouns after it.
    "Alice sat . Then Quorn came . She left . Quorn said that he was ill . Quorn hurt himself .": (
        "Alice|She; Quorn|Quorn|he|Quorn|himself"
    ),
    "gardiner & co. fired him . he sued it .": "gardiner & co.|it",
    "`` nineteen , '' said rowan . he saw claire . she smiled at rowan . bekah 's hand shook . bekah sat .": (
        "rowan|he|rowan; claire|she; bekah|bekah"
    ),
}


@pytest.mark.parametrize("text", SOME_CLUSTERS)
def test_some_of_the_clusters(text):
    found = clusters(text)
    assert all(cluster in found for cluster in lists(SOME_CLUSTERS[text]))


COMPANIES = [
    *("Ernst & Young", "Smith & Co.", "Marks and Spencer", "Smith and Sons", "AT&T", "Acme , Inc."),
    *("Johnson & Johnson Inc.", "Black & Decker Corp.", "Jones Lang & Wootton LLP"),
]


@pytest.mark.parametrize("company", COMPANIES)
def test_the_name_of_a_company_is_one_name_of_a_thing(company):
    assert clusters(f"{company} fired Ben . He sued it .") == [[company, "it"], ["Ben", "He"]]
    assert clusters(f"We left {company} there . He sat .") == []


def test_the_owner_of_a_company_is_no_company():
    text = (
        "The owner of Smith & Co. bought a boat from Acme Inc. He sold it because the firm needed money . "
        "Simon & Schuster 's author left Acme Inc. Bob slept ."
    )
    found = clusters(text, include_singletons=True)
    assert ["The owner of Smith & Co.", "He"] in found
    names = {"Smith & Co.", "Acme Inc.", "Simon & Schuster", "Simon & Schuster 's author", "Bob"}
    assert names <= set(chain(*found)) and not {"Smith", "Co.", "Schuster", "Inc."} & set(chain(*found))


@pytest.mark.parametrize("couple", ["Mr. and Mrs. Smith", "Dr. & Mrs. John Smith", "Lord and Lady Bute"])
def test_a_couple_is_one_name_of_two(couple):
    assert clusters(f"{couple} came home . They were tired . He sat .") == [[couple, "They"]]


def test_bare_titles_are_no_names():
    text = "Mr. came . He sat . The Inc. left . It sat ."
    assert clusters(text, include_singletons=True) == [["He"], ["It"]]


MR_AND_MRS = "I saw Mr. Archer and Mrs. Archer . Mrs. Archer sat . I knew Archer well ."


@pytest.mark.parametrize(
    "text, one, other, is_linked",
    [
        # A surname alone is a man's where there is a choice.
        (MR_AND_MRS, "Archer", "Mr. Archer", 1),
        (MR_AND_MRS, "Archer", "Mrs. Archer", 0),
        ("I saw Mrs. Archer . I knew Archer well .", "Archer", "Mrs. Archer", 1),
        # A name and the noun phrase beside it; lists and other genders are no appositions.
        ("We saw the old doctor , Quorn , there . Quorn left .", "the old doctor", "Quorn", 1),
        ("We saw Quorn , the old doctor , there . Quorn left .", "the old doctor", "Quorn", 1),
        ("We saw Quorn , the doctor and a dog . Quorn left .", "the doctor", "Quorn", 0),
        ("We saw Alice , the king , there . Alice left .", "the king", "Alice", 0),
        # The subject is more salient than the object, and the near than the far.
        ("John met Paul . He sat .", "He", "John", 1),
        ("John met Paul . Later Paul left . Then Paul sang . He sat .", "He", "Paul", 1),
        ("John sat . " * 3 + "We ate . " * 4 + "Paul came . He sang .", "He", "Paul", 1),
        # An object is not its subject, but a reflexive is; another clause has another subject.
        ("Paul sang . John saw him .", "him", "Paul", 1),
        ("Paul sang . John saw him .", "him", "John", 0),
        ("Paul sang . " * 9 + "John saw himself .", "himself", "John", 1),
        ("John sat , a dog near him .", "him", "John", 1),
        # A name after prepositions of place is no person.
        ("John sat . We were in Quorn . We ran through Quorn . Quorn was big . He sang .", "He", "John", 1),
        # A speaker is found beside the quotation, or before a verb far from it, and is not "he".
        ('" I am ill , " Mary said .', "I", "Mary", 1),
        ('" I am ill , " Mary softly said .', "I", "Mary", 1),
        ('Mary said : " I am ill . "', "I", "Mary", 1),
        ('" It is true , " said Mary . " I am ill . "', "I", "Mary", 1),
        ('" I am ill . " Mary sat down .', "I", "Mary", 1),
        ('Mary sat down . " I am ill . "', "I", "Mary", 1),
        ('John sat . Then Mary said in a very low and quiet voice : " I am ill . "', "I", "Mary", 1),
        ('John came . Paul came . " I saw him , " said Paul .', "I", "him", 0),
        # Who is spoken to by one alone is the narrator, but not who says "I" once.
        ("I sat . " * 10 + '" You are ill , " said John .', "You", "I", 1),
        ('I sat . " You are ill , " said John .', "You", "I", 0),
    ],
)
def test_what_is_linked(text, one, other, is_linked):
    assert linked(text, one, other) == bool(is_linked)


@pytest.mark.parametrize(
    "text, expected",
    [
        ("Jean-Luc Picard came. Picard left. He snored.", "Jean-Luc Picard|Picard|He"),
        ("Kwang-Su Lee came. Then Kwang-Su Lee left.", "Kwang-Su Lee|Kwang-Su Lee"),
        ("We met Anna Smith-Jones. Smith-Jones sat.", "Anna Smith-Jones|Smith-Jones"),
        ("We met Anna - Jean left. Later Anna met Jean.", "Anna|Anna; Jean|Jean"),
        ("O'Neill came. O'Neill left.", "O'Neill|O'Neill"),
        ("D’Artagnan came. He left.", "D’Artagnan|He"),
        ("O'er was good. O'er was it.", ""),
    ],
)
def test_hyphens_and_apostrophes_stand_inside_names(text, expected):
    found = SieveCoref().annotate(AnnotatedText.of_text(text)).cluster_texts
    assert [cluster for cluster in found if cluster[0] != "We"] == lists(expected)


def test_hyphens_divide_names_where_white_space_is_not_known():
    assert clusters("Jean - Luc came . Luc left .") == [["Luc", "Luc"]]


@pytest.mark.parametrize(
    "names, pronouns",
    [
        ("Mohammed Ahmet Avi Rajesh Haoran Kenji Minho Kofi DeShawn José", ["He"]),
        ("Fatima Zeynep Rivka Priya Xiuying Yuko Minji Zanele Keisha María", ["She"]),
        ("Noor Wei Kiran", ["He", "She"]),
    ],
)
def test_given_names_of_many_languages_have_a_gender(names, pronouns):
    for name in names.split():
        agree = [word for word in ("He", "She") if linked(f"{name} came . {word} sat .", name, word)]
        assert agree == pronouns, name


@pytest.mark.parametrize("noun", ["captain", "soldier", "nurse"])
def test_jobs_and_ranks_have_no_gender(noun):
    for pronoun in ("He", "She"):
        assert clusters(f"The {noun} came . {pronoun} sat .") == [[f"The {noun}", pronoun]]


def test_particles_stand_inside_names_but_do_not_join_possessors():
    text = "He met the Duke of York . Then the Duke of York left ."
    assert ["the Duke of York"] * 2 in clusters(text)
    assert ["Anne"] * 2 in clusters("He met Anne 's Tom . Later Anne met Tom .")


def test_other_nouns_and_it_are_linked_if_asked_for():
    text = "John took the milk . Then he left the milk there . It was cold ."
    assert clusters(text) == [["John", "he"]]
    assert clusters(text, all_nouns=True) == [["John", "he"], ["the milk", "the milk", "It"]]


@pytest.mark.parametrize(
    "clause",
    [
        *(
            "It seemed late",
            "It was clear that we left",
            "It is time to go",
            "It rained",
            "It was Tom who left",
        ),
        *("It 's raining", "It had been snowing in the town", "It ’s Monday", "It is n't five o'clock"),
        *("It turns out he left", "It took an hour to fix the car"),
    ],
)
def test_it_may_refer_to_nothing(clause):
    assert not any("It" in cluster for cluster in clusters(f"The ball fell . {clause} .", all_nouns=True))


@pytest.mark.parametrize(
    "clause",
    ["It was small . What a pity", "It is on Monday", "It took us to the town", "It turned left", "It is"],
)
def test_it_refers_to_a_thing_in_other_clauses(clause):
    assert linked(f"The ball fell . {clause} .", "The ball", "It", all_nouns=True)


@pytest.mark.parametrize(
    "text, one, other",
    [
        ("Norvik said it would close . The company lost money for years .", "Norvik", "The company"),
        ("Norvik said it would close . The company lost money for years .", "Norvik", "it"),
        ("Norvik , a company that makes boats , was sold .", "Norvik", "a company"),
        ("The brothers came home late . The men were tired .", "The brothers", "The men"),
        ("Mayor Ruth Delgado spoke . Then the mayor left .", "Mayor Ruth Delgado", "the mayor"),
        ("Lena walked along the road . The girl was cold .", "Lena", "The girl"),
        ("They threatened the owner . The owner , Mrs Patel , said no .", "the owner", "Mrs Patel"),
        ("Then Delgado spoke . Delgado is the mayor .", "Delgado", "the mayor"),
        ("We were in London . London was cold . The city slept .", "London", "The city"),
        ("The ship sailed away . It was old .", "The ship", "It"),
        ("A family came . Its dog barked .", "A family", "Its"),
    ],
)
def test_noun_phrases_describe_entities_in_other_words(text, one, other):
    assert linked(text, one, other)
    assert not linked(text, one, other, descriptions=False)


@pytest.mark.parametrize(
    "text, one, other",
    [
        # Two mentions would be enough.
        ("Lena met Anna . The girl was cold .", "Lena", "The girl"),
        ("Lena met Anna . The girl was cold .", "Anna", "The girl"),
        # These differ in gender, number or kind.
        ("Lena walked along the road . The boy was cold .", "Lena", "The boy"),
        ("The sisters came home . The men were tired .", "The sisters", "The men"),
        ("We met Quorn . Quorn said that he was ill . The company sat .", "Quorn", "The company"),
        # Too far away.
        ("Lena sat . " + "It rained . " * 5 + "The girl was cold .", "Lena", "The girl"),
        # "It" may be the letter.
        ("A family came with a letter . We read it .", "A family", "it"),
    ],
)
def test_descriptions_are_linked_only_where_one_entity_will_do(text, one, other):
    assert not linked(text, one, other)


def test_pronouns_look_back_over_so_many_sentences():
    for between in (7, 8):
        assert linked("John sat . " + "We ate . " * between + "He slept .", "John", "He") == (between < 8)


@pytest.mark.parametrize("marks", ['" "', "“ ”", "`` ''", "‘ ’", "` '", "« »", "„ “"])
def test_any_quotation_marks_will_do(marks):
    opening, closing = marks.split()
    assert clusters(f"{opening} I am ill , {closing} said Mary .") == [["I", "Mary"]]


@pytest.mark.parametrize(
    "before, more",
    [
        ('The 12" disk fell.', []),
        ("A board of 5' 10\" fell.", []),
        ('Bob said "hello and left.', ["hello and left ."]),
        ('"I have no coat.\n\n', ["I have no coat ."]),
        ('We sang ("Hello").', ["Hello"]),
        ('He left" and sat.', []),
    ],
)
def test_a_stray_mark_does_not_invert_later_quotations(before, more):
    text = AnnotatedText.of_text(f'{before} "I am ill," said Ann. "So am I," said Bob.')
    quotes = [" ".join(text.tokens[quote.start : quote.stop]) for quote in find_quotes(text)]
    assert quotes == [*more, "I am ill ,", "So am I ,"]


def test_inches_are_no_quotation_where_white_space_is_not_known():
    text = text_of('The 12 " disk fell . " I am ill , " said Ann . " It is 1912 " , said Bob .')
    assert [(quote.start, quote.stop) for quote in find_quotes(text)] == [(7, 11), (16, 19)]


@pytest.mark.parametrize(
    "text, expected",
    [
        ('Ann said , " I am ill . " Bob nodded .', ["Ann", "I"]),
        ('Ann said " I am ill . " Bob said no .', ["Ann", "I"]),
        ('Ann said softly " I am ill . " Bob nodded .', ["Ann", "I"]),
        ("Ann wrote : “ I am ill . ” Bob nodded .", ["Ann", "I"]),
        ("Ann was saying , ‘ I am ill . ’ Bob nodded .", ["Ann", "I"]),
        ('Ann told Bob , " I am ill . " He nodded .', ["Ann", "I"]),
        ('Ann said to Bob " I am ill . " He nodded .', ["Ann", "I"]),
        ('Ann , who knew Bob , said , " I am ill . " Bob nodded .', ["Ann", "I"]),
        ('Then said Ann , " I am ill . " Bob nodded .', ["Ann", "I"]),
        ('Ann sat . She said , " I am ill . " He nodded .', ["Ann", "She", "I"]),
        ('" Well , " said Ann , " I am ill . " Bob nodded .', ["Ann", "I"]),
        ('" I am ill , " Ann said , " and tired . " Bob nodded .', ["I", "Ann"]),
        ('" I am ill , " said Ann . Bob said , " It is late . "', ["I", "Ann"]),
        ('" I am ill . " Bob said , " It is late . "', None),
    ],
)
def test_who_speaks_before_a_quotation_goes_before_who_acts_after_it(text, expected):
    assert next((cluster for cluster in clusters(text) if "I" in cluster), None) == expected


def test_turns_without_a_speaker_are_those_of_every_other_one():
    text = '" Well ? " said Mary . " No , " said John . " I ask again . " " I say no . "'
    # The third turn follows right after the words that tell whose the second one is: it goes on.
    assert linked(text, "I", "John")
    silence = "and then there was silence in all the rooms of the house until it was night"
    text = f'" Why ? " Mary asked . " No , " John said , {silence} . " I ask . " " I say no . "'
    assert clusters(text) == [["Mary", "I"], ["John", "I"]]


@pytest.mark.parametrize(
    "text, expected",
    [
        (
            "Anna : did you call ? Quorn : yes , I did . My phone broke . Anna : I saw . Quorn : good .",
            [["Anna", "Anna", "I"], ["you", "Quorn", "I", "My", "Quorn"]],
        ),
        # Neither the speaker nor the listener is "he".
        (
            "Tim : did your brother call ? Zoe : yes . He sang .",
            [["Tim"], ["your", "Zoe"], ["your brother", "He"]],
        ),
        ("Clerk : may I help you ? Guest : yes . Clerk : how ? Guest : I fell .", [["Clerk", "I", "Clerk"]]),
        # Among three, "you" may be either of the others.
        ("Ann : did you call ? Ben : I did . Eve : I too .", [["Ben", "I"], ["Eve", "I"], ["you"]]),
        (
            "From : Carla To : Mr Hart The boiler broke . Did you hear ? Please call me . Carla",
            [["Carla", "me", "Carla"], ["Mr Hart", "you"]],
        ),
        (
            "Dear Ms Holt , I got your letter . You will hear from me . Regards , Jan Rook",
            [["Ms Holt", "your", "You"], ["I", "me", "Jan Rook"]],
        ),
    ],
)
def test_turns_and_letters_name_who_writes_and_to_whom(text, expected):
    found = clusters(text, include_singletons=True)
    assert all(cluster in found for cluster in expected)


@pytest.mark.parametrize(
    "text", ["Note : I am late . John left .", "Image : I sat . Image : John .", "He saw John : I ran ."]
)
def test_other_words_before_a_colon_do_not_speak(text):
    assert not any("I" in cluster for cluster in clusters(text))


@pytest.mark.parametrize(
    "text",
    [
        "Hello Kitty is a brand . I like it , and you do . Anna",
        "Dear Ann , " + "it rained . " * 200 + "I left . Bob",
    ],
    ids=["no greeting", "no letter is as long"],
)
def test_not_every_greeting_begins_a_letter(text):
    assert not any({"I", "you"} & {*cluster} for cluster in clusters(text))


@pytest.mark.parametrize(
    "one, other",
    [
        ("Mr. O'Neill", "The Chair"),
        ("Anna", "Mary-Jane"),
        ("**Anna", "**Ben"),
        ("- Anna", "- Ben"),
        ("[10:32] Anna", "10:33 Ben"),
        ("Anna (10:32)", "Ben (10:33 AM)"),
        ("12/05/22, 10:32 - Anna", "12/05/22, 10:33 - Ben"),
        ("Speaker 1", "Speaker 2"),
        ("Speaker A", "Speaker B"),
        ("Jean-Luc Picard", "Maria del Carmen Lopez"),
    ],
)
def test_names_before_turns(one, other):
    lines = (f"{one}: I lost my key.", f"{other}: I saw it.", f"{one}: Call me.", f"{other}: You call me.")
    text = AnnotatedText.of_text("\n".join(lines).replace("**:", ":**"))
    found = SieveCoref().annotate(text).cluster_texts
    first, second = (next(cluster for cluster in found if word in cluster) for word in ("my", "I"))
    assert first[1:3] == ["I", "my"] and first[-1] == "You" and first.count("me") == 1
    others = [cluster for cluster in found if "I" in cluster and cluster != first]
    assert len(others) == 1 and others[0].count("I") == others[0].count("me") == 1


@pytest.mark.parametrize(
    "text",
    [
        "From: Anna Smith\nTo: Bob Jones\n\nI came. Will you?\n\n> He lost my keys.\n> Call me.\n\nAnna",
        "Anna: I came. Will you?\nBen: No.\nNews: My dog ran, follow me.",
        "Anna: I came. Will you?\nBen: No.\n> My dog ran, follow me.",
    ],
)
def test_turns_end_at_what_others_say(text):
    found = SieveCoref().annotate(AnnotatedText.of_text(text)).cluster_texts
    assert any("I" in cluster for cluster in found)
    assert not any({"my", "My", "me"} & {*cluster} and len({*cluster}) > 2 for cluster in found)


def test_a_line_of_a_chat_needs_no_full_stop():
    text = AnnotatedText.of_text("Anna: did you call\nBen: yes I did\nAnna: I saw")
    assert SieveCoref().annotate(text).cluster_texts == [["Anna", "Anna", "I"], ["you", "Ben", "I"]]


WORDS = """
    the a that his her Mary Tom mother man men house of 's , . " ' “ ” `` '' said I you he him she it they himself king
    Mr. Mrs. & Co. Archer Newland walked very old and to in who was Hall ? I'm ’s ’ ‘ é 3 CHAPTER no
    """.split()


@given(
    st.lists(st.one_of(st.sampled_from(WORDS), st.text(max_size=3)), max_size=40),
    st.booleans(),
    st.booleans(),
)
@example([""], True, True)
@example(["the"] * 9 + ["'s"] * 3, True, True)
@settings(max_examples=400, derandomize=True, deadline=None)
def test_any_tokens_give_clusters_that_share_no_mention(tokens, all_nouns, include_singletons):
    given_clusters = [[(0, len(tokens))]] if tokens else []
    text = AnnotatedText(tokens, clusters=given_clusters, id="x")
    annotator = SieveCoref(all_nouns=all_nouns, include_singletons=include_singletons)
    annotated = annotator.annotate(text)
    # The constructor checks that spans are in range.
    assert (annotated.tokens, annotated.sentences, annotated.id) == (text.tokens, text.sentences, "x")
    assert annotated.clusters[: len(given_clusters)] == given_clusters
    assert len(text.clusters) == len(given_clusters)
    found = annotated.clusters[len(given_clusters) :]
    mentions = list(chain(*found))
    assert len(mentions) == len(set(mentions))
    assert found == sorted(sorted(cluster) for cluster in found)
    assert all(len(cluster) > (not include_singletons) for cluster in found)
    assert annotator.annotate(text) == annotated
    if not include_singletons:
        every = SieveCoref(all_nouns=all_nouns, include_singletons=True).annotate(text).clusters
        assert found == [cluster for cluster in every[len(given_clusters) :] if len(cluster) > 1]


@pytest.mark.parametrize("noun", ["rooms", "woods", "lodgings"])
def test_a_plural_that_is_listed_beside_its_singular_is_a_plural(noun):
    assert NOUNS[noun].number == PLURAL and NOUNS[noun[:-1]].number == SINGULAR


def test_long_chains_are_read():
    for word in ("of", "'s", ","):
        assert clusters(" ".join(["man", word] * 3000)) == []
    nested = clusters("the man of " * 500 + "the man")
    assert sum(map(len, nested)) == 501


def test_a_text_that_is_one_sentence_is_split():
    tokens = "John sat . He slept .".split()
    split = SieveCoref().annotate(AnnotatedText(tokens, [(0, 3), (3, 6)])).clusters
    assert SieveCoref().annotate(AnnotatedText(tokens)).clusters == split == [[(0, 1), (3, 4)]]


def test_the_largest_clusters_are_kept():
    text = "John met Mary . She saw him . She left ."
    assert clusters(text, max_clusters=1) == [["Mary", "She", "She"]]
    assert clusters(text, max_clusters=0) == []


@needs_litbank
def test_the_score_on_litbank_does_not_fall():
    metric = ConllCorefScores()
    for path in sorted(LITBANK.glob("*.conll"))[::4]:
        (text,) = read_conll_2012(str(path))
        predicted = SieveCoref().annotate(AnnotatedText(text.tokens, text.sentences)).clusters
        gold = [cluster for cluster in text.clusters if len(cluster) > 1]
        gold, mention_to_gold = metric.get_gold_clusters(gold)
        predicted, mention_to_predicted = metric.get_gold_clusters(predicted)
        for scorer in metric.scorers:
            scorer.update(predicted, gold, mention_to_predicted, mention_to_gold)
    assert metric.get_metric()[2] > 0.605
