"""
Given names, titles and places, all in lower case. They show the gender of a name, or that a name is not a person's.
"""

from allennlp_coref_rc.annotations.annotators.english_words import read_words

MALE_NAMES = read_words("male_names")
FEMALE_NAMES = read_words("female_names")
EITHER_NAMES = read_words("either_names")
ALSO_WORDS = read_words("also_words")
MALE_TITLES = read_words("male_titles")
FEMALE_TITLES = read_words("female_titles")
TITLES = read_words("titles")
PLACE_NAMES = read_words("place_names")
PLACE_HEADS = read_words("place_heads")
GROUP_HEADS = read_words("group_heads")
NOT_NAMES = read_words("not_names")
