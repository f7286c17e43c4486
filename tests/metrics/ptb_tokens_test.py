import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from allennlp_coref_rc.metrics.ptb_tokens import ptb_tokens

# What Stanford's PTBTokenizer 3.4.1 made of these texts in lower case, as pycocoevalcap 1.2 calls it,
# punctuation removed.
OBSERVED = [
    ("He agrees to play, at all of the dances.", "he agrees to play at all of the dances"),
    ("Jacob's mother-in-law", "jacob 's mother-in-law"),
    ("The U.S. Army, e.g. $5.00 can't", "the u.s. army e.g. $ 5.00 ca n't"),
    (".", ""),
    ("...", ""),
    (
        "Mr. Smith (Tom) arrived at 5 p.m. on Jan. 5 in St. Louis, Mo.",
        "mr. smith -lrb- tom -rrb- arrived at 5 p.m. on jan. 5 in st. louis mo.",
    ),
    ("J.K. Rowling's dogs' ball; J. R. Smith won't.", "j.k. rowling 's dogs ball j. r. smith wo n't"),
    ("\"Quoted\" and ``TeX'' and 'single', “curly” and ‘curly’", "quoted and tex and single curly and curly"),
    (
        "I cannot, he's gonna, they've, we'd, you'll, I'm, she doesn’t",
        "i can not he 's gon na they 've we 'd you 'll i 'm she does n't",
    ),
    (
        "'Tis the '80s: rock 'n' roll, o'clock, ma'am, O'Neil, d'Artagnan",
        "'t is the '80s rock 'n' roll o'clock ma'am o'neil d'artagnan",
    ),
    ("He met Mr. X. End.", "he met mr. x. end"),
    ("no. 9, no. Nine, pp. 5 to 7, ca. 1760", "no. 9 no nine pp. 5 to 7 ca. 1760"),
    (
        "10,000.5 or 1,000-word 1/2 9/11 12:30 2:00am 5% #7 £6000 €5 5th 1990s",
        "10,000.5 or 1,000-word 1/2 9/11 12:30 2:00 am 5 % # 7 # 6000 $ 5 5th 1990s",
    ),
    ("and/or, he/she; a—b a – b a--b - x", "and/or he/she a b a b a b x"),
    ("Really?! Wow!!! What? No!", "really ?! wow !!! what no"),
    ("end.Then he left...and she stayed", "end.then he left and she stayed"),
    (
        "AT&T, R&D, x@y.com or www.foo.org, http://a.com/b?c=d.",
        "at & t r & d x@y.com or www.foo.org http://a.com/b?c=d",
    ),
    (
        "[sic] {x} :) a_b * ~ = <b>bold</b> &amp;",
        "-lsb- sic -rsb- -lcb- x -rcb- :-rrb- a_b * ~ = <b> bold </b> &",
    ),
    ("café Zoë naïve ½ 5¢", "café zoë naïve 1/2 5 cents"),
    ("more'n dogs' y'all goin' 'em", "more 'n dogs y' all goin 'em"),
    ("Ph.D. vs. etc. Inc. Col. Lt. Sgt. Dr.", "ph.d. vs. etc. inc. col. lt. sgt. dr."),
    ("twenty-one 5-year-old 3-D x-ray half- -half", "twenty-one 5-year-old 3-d x-ray half half"),
    (
        "A $ or USD$5; C# and C++; #1 #tag @home; 1.5m, -5, +3",
        "a $ or usd $ 5 c# and c++ # 1 #tag @home 1.5 m -5 +3",
    ),
    ("lemme gotta wanna gimme :( ;-) (yes)", "lem me got ta wan na gim me :-lrb- ;--rrb- -lrb- yes -rrb-"),
    ("he said:stop;now \x97 \x80¦ x\x85y", "he said stop now $ ¦ x y"),
]


@pytest.mark.parametrize("text, tokens", OBSERVED)
def test_tokens_are_those_of_the_java_program(text, tokens):
    assert " ".join(ptb_tokens(text)) == tokens


@settings(derandomize=True, deadline=None, max_examples=300)
@given(st.text(max_size=40))
def test_any_text_has_tokens_and_they_are_words(text):
    for token in ptb_tokens(text):
        assert token and token.split() == [token]


@settings(derandomize=True, deadline=None, max_examples=200)
@given(
    st.lists(st.sampled_from("He agreed with Tom , . n't 's ( ) $ 5 1990s half-brother".split()), max_size=8)
)
def test_tokenised_text_stays_as_it_is_but_for_punctuation(tokens):
    names = {"(": "-lrb-", ")": "-rrb-"}
    expected = [names.get(token, token.lower()) for token in tokens if token not in (",", ".")]
    assert ptb_tokens(" ".join(tokens)) == expected
