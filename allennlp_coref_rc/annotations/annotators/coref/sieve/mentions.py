from collections.abc import Sequence

from allennlp_coref_rc.annotations.annotated_text import Span
from allennlp_coref_rc.annotations.annotators import lexicon
from allennlp_coref_rc.annotations.annotators.coref.sieve.mention import PRONOUN, Mention
from allennlp_coref_rc.annotations.annotators.coref.sieve.name_spans import name_spans
from allennlp_coref_rc.annotations.annotators.coref.sieve.noun_phrases import NounPhraseParser

HEADINGS = frozenset("chapter part book volume act scene section canto letter prologue adventure story".split())


class MentionFinder:
    """
    Finds the mentions of a text with word lists and capital letters: pronouns, names and common noun phrases, also
    inside one another. With `all_nouns` any word may be the head of a noun phrase, otherwise only listed words.
    With `acting_names` unknown words that do something are names at the beginning of a sentence too.
    """

    def __init__(
        self, tokens: Sequence[str], sentences: Sequence[Span], all_nouns: bool = False, acting_names: bool = False
    ) -> None:
        self.words = [token.lower().replace("’", "'") for token in tokens]
        self._sentences = sentences
        names = name_spans(tokens, self.words, sentences, acting_names)
        self._parser = NounPhraseParser(tokens, self.words, names, all_nouns)
        self._mentions: list[Mention] = []
        self._stop = 0

    def find(self) -> list[Mention]:
        """The mentions in order of their beginnings; if these are equal, the shortest first."""
        for number, (start, stop) in enumerate(self._sentences):
            self._stop = stop
            first, position = len(self._mentions), start
            while position < self._stop:
                position = self._find_at(position)
            for mention in self._mentions[first:]:
                mention.sentence = number
                mention.is_subject = self._is_subject(mention, start)
        return sorted(self._mentions, key=lambda mention: mention.span)

    def _find_at(self, position: int) -> int:
        """Adds the mentions that begin at a token, and returns the position to continue from."""
        word = self.words[position]
        mention = None
        if word in lexicon.PRONOUNS and not (word == "i" and self._is_numeral(position)):
            _, gender, number = lexicon.PRONOUNS[word]
            mention = Mention(position, position + 1, position, PRONOUN, gender, number, (word,))
            self._mentions.append(mention)
            if word not in lexicon.POSSESSIVES:
                return position + 1
        found, resume = self._parser.parse(position, self._stop, mention)
        self._mentions.extend(found)
        return resume

    def _is_numeral(self, position: int) -> bool:
        """Whether "I" counts a chapter."""
        before = self.words[position - 1] if position else ""
        return before in HEADINGS or before == "i" or self.words[position + 1 : position + 2] == ["."]

    def _is_subject(self, mention: Mention, start: int) -> bool:
        """Whether a verb follows, and no preposition stands before."""
        words = self.words
        if mention.kind == PRONOUN and words[mention.start] not in ("it", "you"):
            return words[mention.start] in lexicon.SUBJECTS
        if mention.start > start and words[mention.start - 1] in lexicon.PREPOSITIONS:
            return False
        after = mention.stop
        while after < len(words) and words[after] in lexicon.ADVERBS:
            after += 1
        if after == len(words) or words[after] in lexicon.POSSESSIVE_MARKS:
            return False
        word = words[after]
        return word in lexicon.AUXILIARIES or word in lexicon.VERBS or word.endswith("ed")
