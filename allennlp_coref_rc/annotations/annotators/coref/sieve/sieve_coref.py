from typing import NamedTuple, Optional

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Span
from allennlp_coref_rc.annotations.annotators.annotator import Annotator
from allennlp_coref_rc.annotations.annotators.coref.sieve.entities import Entities, Mention
from allennlp_coref_rc.annotations.annotators.coref.sieve.mentions import MentionFinder
from allennlp_coref_rc.annotations.annotators.coref.sieve.name_links import (
    find_companies,
    link_appositions,
    link_companies,
    link_copulas,
    link_names,
    vote_genders,
)
from allennlp_coref_rc.annotations.annotators.coref.sieve.quotes import (
    Quote,
    Speakers,
    attributed_quotes,
)
from allennlp_coref_rc.annotations.annotators.coref.sieve.references import ReferenceLinker
from allennlp_coref_rc.annotations.annotators.coref.sieve.turns import find_turns, with_turns
from allennlp_coref_rc.annotations.annotators.split_tokens import SplitTokens
from allennlp_coref_rc.annotations.clusters import largest_clusters
from allennlp_coref_rc.annotations.layers import Layers
from allennlp_coref_rc.common.checks import check_number


class Resolution(NamedTuple):
    """The mentions and entities that the rules have found in a text. `words` are its tokens in lower case."""

    words: list[str]
    sentences: list[Span]
    mentions: list[Mention]
    entities: Entities
    quotes: list[Quote]


@Annotator.register("sieve_coref")
class SieveCoref(Annotator):
    """
    Coreference of English text by rules, the most certain first, in the tradition of the multi-pass sieve
    (Raghunathan et al., EMNLP 2010; Lee et al., Computational Linguistics 2013): the same names; parts of
    names, with titles; names and the noun phrases beside them; definite noun phrases with the same head;
    pronouns by salience, gender and number; and, in quotations, in turns ("Anna: …") and in mails, who speaks
    to whom.

    The originals use a parser's trees, a tagger's entities, and tables of gender and number counted on the
    web. Here word lists and capital letters take their place, so that nothing has to be downloaded. The text
    itself tells the rest: the pronouns after a name show its gender. Mentions are pronouns, names, and common
    nouns for persons, groups, places and vehicles. In text without capital letters, names are listed names
    and unknown words that act or speak. The annotator uses the text's tokens and sentences, but splits a text
    of a single sentence at full stops. Pronouns and descriptions are compared with the 50 latest entities at
    most, so that the time grows with the text's length alone.

    Registered as an `Annotator` with name "sieve_coref".

    # Parameters

    all_nouns : `bool`, optional (default = `False`)
        Let noun phrases with any head be mentions ("the milk"), and link "it" and "its" too.
    descriptions : `bool`, optional (default = `True`)
        Link noun phrases to what they describe in other words ("Norvik … the company", "Mayor Ruth Delgado …
        the mayor", "Delgado is the mayor"), and "it" to places, groups and vehicles. The published results
        are without it.
    include_singletons : `bool`, optional (default = `False`)
        Also return mentions that are linked to no other, each as a cluster of one.
    max_clusters : `int`, optional (default = `None`)
        Keep only this many clusters, those with the most mentions. By default all.

    # Example

    ```jsonnet
    {"type": "sieve_coref", "all_nouns": true, "max_clusters": 50}
    ```
    """

    def __init__(
        self,
        all_nouns: bool = False,
        descriptions: bool = True,
        include_singletons: bool = False,
        max_clusters: Optional[int] = None,
    ) -> None:
        check_number("sieve_coref", "max_clusters", max_clusters, least=0)
        self._all_nouns = all_nouns
        self._descriptions = descriptions
        self._min_mentions = 1 if include_singletons else 2
        self._max_clusters = max_clusters

    def annotate(self, text: AnnotatedText) -> AnnotatedText:
        words = SplitTokens(text)
        entities = self.resolve(words.text).entities
        clusters = sorted(sorted(mention.span for mention in entity.mentions) for entity in entities)
        clusters = words.layers(Layers(clusters)).clusters
        clusters = [cluster for cluster in clusters if len(cluster) >= self._min_mentions]
        return text.with_more(clusters=largest_clusters(clusters, self._max_clusters))

    def resolve(self, text: AnnotatedText) -> Resolution:
        """Finds and links the mentions of a text."""
        if len(text.sentences) < 2:
            text = text.split_sentences()
        text = with_turns(text)
        turns = find_turns(text.tokens, [start for start, _ in text.sentences])
        labels = [turn.label for turn in turns if turn.label]
        greetings = {turn.greeting for turn in turns if turn.greeting is not None}
        finder = MentionFinder(text, self._all_nouns, self._descriptions, labels, greetings)
        mentions = finder.find()
        quotes = attributed_quotes(text, finder.words, mentions, turns)
        speakers = Speakers(quotes, len(text))
        entities = Entities()
        link_names(entities, mentions)
        link_appositions(entities, mentions, finder.words)
        if self._descriptions:
            link_companies(entities, mentions, finder.words)
            link_copulas(entities, mentions, finder.words)
        vote_genders(entities, mentions, finder.words)
        if self._descriptions:
            find_companies(entities, mentions)
        linker = ReferenceLinker(
            entities, speakers, finder.words, text.sentences, self._all_nouns, self._descriptions
        )
        linker.link(mentions)
        speakers.link(entities)
        return Resolution(finder.words, text.sentences, mentions, entities, quotes)
