from itertools import chain

import pytest
from allennlp_models.coref.metrics.conll_coref_scores import ConllCorefScores
from hypothesis import example, given, settings
from hypothesis import strategies as st

from allennlp_coref_rc.annotations import AnnotatedText, sentence_spans
from allennlp_coref_rc.annotations.annotators import SieveCoref
from allennlp_coref_rc.annotations.annotators.lexicon import NOUNS, PLURAL, SINGULAR
from allennlp_coref_rc.annotations.formats import read_conll_2012
from tests.shared import LITBANK, needs_litbank


def clusters(text, **options):
    """The clusters, each the texts of its mentions."""
    tokens = text.split()
    annotated = SieveCoref(**options).annotate(AnnotatedText(tokens, sentence_spans(tokens)))
    return [[" ".join(tokens[start:stop]) for start, stop in cluster] for cluster in annotated.clusters]


def linked(text, one, other, **options):
    return any(one in cluster and other in cluster for cluster in clusters(text, **options))


# Names


def test_the_same_names_are_linked_whatever_stands_before_them():
    expected = [["Quorn", "Poor Quorn"], ["Leeds", "Leeds"]]
    assert clusters("We met Quorn in Leeds . Poor Quorn was ill . Leeds was cold .") == expected


def test_a_capital_letter_at_the_start_of_a_sentence_makes_no_name():
    expected = [["Brown", "Brown"]]
    assert clusters("Precisely so . We met Brown precisely then . Precisely , Brown .") == expected


def test_parts_of_names_go_to_the_longer_name():
    expected = [["Newland Archer", "Archer", "Newland"]]
    assert clusters("I saw Newland Archer . Then Archer left . At home Newland slept .") == expected


def test_titles_and_genders_keep_a_family_apart():
    text = "I saw Mr. Charles Pett and Mrs. Pett . Then Mr. Pett left . Then Mrs. Pett left . Then Miss Pett left ."
    assert clusters(text) == [["Mr. Charles Pett", "Mr. Pett"], ["Mrs. Pett", "Mrs. Pett"]]


def test_a_surname_alone_is_a_mans_where_there_is_a_choice():
    text = "I saw Mr. Archer and Mrs. Archer . Mrs. Archer sat . I knew Archer well ."
    assert linked(text, "Mr. Archer", "Archer") and not linked(text, "Mrs. Archer", "Archer")
    assert linked("I saw Mrs. Archer . I knew Archer well .", "Mrs. Archer", "Archer")


def test_a_husbands_name_is_not_his_wifes():
    expected = [["I", "I", "I"], ["Newland Archer", "Newland Archer"]]
    assert clusters("I saw Newland Archer . I saw Mrs. Newland Archer . I saw Newland Archer .") == expected


def test_particles_stand_inside_names_but_do_not_join_possessors():
    assert linked(
        "He met the Duke of York . Then the Duke of York left .", "the Duke of York", "the Duke of York"
    )
    assert linked("He met Anne 's Tom . Later Anne met Tom .", "Anne", "Anne")


def test_dates_and_languages_are_no_names():
    assert clusters("It was on Monday . Then Monday passed in English . In English it was Monday .") == []


def test_a_capital_letter_after_an_opening_mark_says_nothing_either():
    assert clusters('It was said : " Precisely . " And then : " Precisely . "') == []


def test_adjectives_belong_to_the_name_but_not_the_words_of_another_phrase():
    expected = [["the famous Quorn", "The famous Quorn"]]
    assert clusters("It was the famous Quorn . The famous Quorn left .") == expected
    assert clusters("It was the question Quorn asked . Then Quorn left .") == [["Quorn", "Quorn"]]


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


def test_two_persons_and_bare_titles_are_no_compound_names():
    assert clusters("Tom & Mary Smith came . He sat . She slept .") == [["Tom", "He"], ["Mary Smith", "She"]]
    expected = [["He"], ["It"]]
    assert clusters("Mr. came . He sat . The Inc. left . It sat .", include_singletons=True) == expected
    assert ["gardiner & co.", "it"] in clusters("gardiner & co. fired him . he sued it .")


# Names and noun phrases beside them


@pytest.mark.parametrize(
    "text, noun_phrase, name",
    [
        ("We saw the old doctor , Quorn , there . Quorn left .", "the old doctor", "Quorn"),
        ("We saw Quorn , the old doctor , there . Quorn left .", "the old doctor", "Quorn"),
    ],
)
def test_a_name_and_the_noun_phrase_beside_it_are_linked(text, noun_phrase, name):
    assert linked(text, noun_phrase, name)


def test_lists_and_other_genders_are_no_appositions():
    assert not linked("We saw Quorn , the doctor and a dog . Quorn left .", "the doctor", "Quorn")
    assert not linked("We saw Alice , the king , there . Alice left .", "the king", "Alice")


# Noun phrases


def test_a_definite_noun_phrase_goes_to_the_latest_with_its_words():
    text = "A tall man met a small man . The tall man sat . The man ran . A man sang ."
    assert clusters(text) == [["A tall man", "The tall man", "The man"]]


def test_adverbs_and_adjectives_with_commas_belong_to_the_noun_phrase():
    text = "A very old man met a tall , thin man . The very old man left . The tall , thin man sat ."
    assert ["A very old man", "The very old man"] in clusters(text)
    assert ["a tall , thin man", "The tall , thin man"] in clusters(text)


def test_plural_and_unspecific_noun_phrases_are_others():
    assert clusters("No man came . The man slept .") == []
    assert clusters("A boy sat . The boys ran .") == []


def test_noun_phrases_with_possessors_need_the_same_possessor():
    text = "Mary saw her mother . Jane left . Mary called her mother ."
    assert ["her mother", "her mother"] in clusters(text)
    expected = [["Tom", "Tom"], ["Tom 's sister", "Tom 's sister"]]
    assert clusters("Tom 's sister sat . Alice 's sister ran . Tom 's sister sang .") == expected


def test_relatives_are_used_like_names():
    assert ["Mother", "mother"] in clusters("Mother went out . We waited for mother there .")
    assert clusters("Well , the doctor left . We slept well .") == []


def test_the_head_decides_what_a_noun_phrase_is():
    # "The garden gate" is no garden, and "the street corner" is no street.
    assert clusters("The garden slept . The garden wall fell .") == []
    assert clusters("The garden slept . The garden grew .") == [["The garden", "The garden"]]


def test_a_phrase_with_of_belongs_to_its_noun_phrase_and_holds_others():
    text = "He left the town of his father . The town of his father slept . His father slept ."
    assert ["the town of his father", "The town of his father"] in clusters(text)
    assert ["his father", "his father", "His father"] in clusters(text)


def test_other_nouns_and_it_are_linked_if_asked_for():
    text = "John took the milk . Then he left the milk there . It was cold ."
    assert clusters(text) == [["John", "he"]]
    assert clusters(text, all_nouns=True) == [["John", "he"], ["the milk", "the milk", "It"]]


@pytest.mark.parametrize(
    "clause",
    ["It seemed late", "It was clear that we left", "It is time to go", "It rained", "It was Tom who left"],
)
def test_it_may_refer_to_nothing(clause):
    assert not any("It" in cluster for cluster in clusters(f"The ball fell . {clause} .", all_nouns=True))


# Descriptions


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


# Pronouns


def test_pronouns_agree_in_gender_and_number():
    text = "John met Mary and the boys . She saw him and they ran ."
    assert clusters(text) == [["John", "him"], ["Mary", "She"], ["the boys", "they"]]


def test_the_subject_is_more_salient_than_the_object_and_the_near_than_the_far():
    assert linked("John met Paul . He sat .", "John", "He")
    assert linked("John met Paul . Later Paul left . Then Paul sang . He sat .", "Paul", "He")
    assert linked("John sat . " * 3 + "We ate . " * 4 + "Paul came . He sang .", "Paul", "He")


def test_a_group_is_it_or_they():
    assert clusters("A family came . They sat .") == [["A family", "They"]]


def test_an_object_is_not_its_subject_but_a_reflexive_is():
    text = "Paul sang . John saw {} ."
    assert linked(text.format("him"), "Paul", "him") and not linked(text.format("him"), "John", "him")
    assert linked("Paul sang . " * 8 + text.format("himself"), "John", "himself")
    # Another clause has another subject.
    assert linked("John sat , a dog near him .", "John", "him")


def test_a_pronoun_is_not_what_it_is_part_of():
    assert clusters("The father of his wife died .") == []


def test_pronouns_look_back_over_so_many_sentences():
    text = "John sat . " + "We ate . " * 3 + "He slept ."
    assert linked(text, "John", "He") and linked(text, "John", "He", max_pronoun_distance=4)
    assert not linked(text, "John", "He", max_pronoun_distance=3)


def test_a_name_of_unknown_gender_gets_that_of_the_pronouns_after_it():
    text = "Alice sat . Then Quorn came . She left . Quorn said that he was ill . Quorn hurt himself ."
    assert ["Alice", "She"] in clusters(text)
    assert ["Quorn", "Quorn", "he", "Quorn", "himself"] in clusters(text)


def test_a_name_after_prepositions_of_place_is_no_person():
    assert linked(
        "John sat . We were in Quorn . We ran through Quorn . Quorn was big . He sang .", "John", "He"
    )


# Speakers


def test_i_is_who_speaks_and_you_who_is_spoken_to():
    text = '" I saw you , " said Mary . " You saw me , " said John .'
    assert clusters(text) == [["I", "Mary", "You"], ["you", "me", "John"]]


@pytest.mark.parametrize("marks", ['" "', "“ ”", "`` ''", "‘ ’", "` '"])
def test_any_quotation_marks_will_do(marks):
    opening, closing = marks.split()
    assert clusters(f"{opening} I am ill , {closing} said Mary .") == [["I", "Mary"]]


@pytest.mark.parametrize(
    "text",
    [
        '" I am ill , " Mary said .',
        '" I am ill , " Mary softly said .',
        'Mary said : " I am ill . "',
        '" It is true , " said Mary . " I am ill . "',
        '" I am ill . " Mary sat down .',
        'Mary sat down . " I am ill . "',
    ],
)
def test_a_speaker_is_found_beside_the_quotation(text):
    assert linked(text, "I", "Mary")


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


@pytest.mark.parametrize(
    "text, first, second",
    [
        ('Ann said , " I love my dog . " Bob said , " I run . "', ["Ann", "I", "my"], ["Bob", "I"]),
        ('Ann asks " Am I late ? " Bob replies " I am , too . "', ["Ann", "I"], ["Bob", "I"]),
        ('" I am ill , " said Ann . Bob said , " I am well . "', ["I", "Ann"], ["Bob", "I"]),
        ('Ann said , " I am ill . " " I am well , " said Bob .', ["Ann", "I"], ["I", "Bob"]),
    ],
)
def test_two_speakers_in_a_row_stay_two(text, first, second):
    assert clusters(text) == [first, second]


def test_a_speaker_is_found_before_a_verb_far_from_the_quotation():
    assert linked('John sat . Then Mary said in a very low and quiet voice : " I am ill . "', "I", "Mary")


def test_who_is_spoken_to_by_one_alone_is_the_narrator():
    quotation = '" You are ill , " said John .'
    assert linked("I sat . " * 10 + quotation, "I", "You")
    # If somebody says "I" only once, it may be anybody.
    assert not linked("I sat . " + quotation, "I", "You")


def test_turns_without_a_speaker_are_those_of_every_other_one():
    text = '" Well ? " said Mary . " No , " said John . " I ask again . " " I say no . "'
    # The third turn follows right after the words that tell whose the second one is: it goes on.
    assert linked(text, "I", "John")
    silence = "and then there was silence in all the rooms of the house until it was night"
    text = f'" Why ? " Mary asked . " No , " John said , {silence} . " I ask . " " I say no . "'
    assert clusters(text) == [["Mary", "I"], ["John", "I"]]


def test_the_narrator_is_one_and_is_nobody_who_is_spoken_about():
    assert clusters("I sat . My wife came . He saw me .") == [["I", "My", "me"]]
    assert clusters('I sat . " I am ill , " said John . I left .') == [["I", "I"], ["I", "John"]]


def test_who_speaks_is_not_he():
    text = 'John came . Paul came . " I saw him , " said Paul .'
    assert not linked(text, "I", "him")


def test_the_i_of_a_heading_is_no_pronoun():
    assert clusters("CHAPTER I We sat . I ran .") == []


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


def test_a_line_of_a_chat_needs_no_full_stop():
    text = AnnotatedText.of_text("Anna: did you call\nBen: yes I did\nAnna: I saw")
    assert SieveCoref().annotate(text).cluster_texts == [["Anna", "Anna", "I"], ["you", "Ben", "I"]]


# Lower-cased text


def test_lower_cased_text_is_read_by_lists_and_by_what_names_do():
    text = "`` nineteen , '' said rowan . he saw claire . she smiled at rowan . bekah 's hand shook . bekah sat ."
    found = clusters(text)
    assert ["rowan", "he", "rowan"] in found and ["claire", "she"] in found and ["bekah", "bekah"] in found


def test_common_words_are_no_names_in_lower_cased_text():
    found = clusters("silence fell . then silence fell again . may will grant grace . time may grant will .")
    assert found == []
    assert clusters("there was grace . it was grace .") == []


# All texts

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
