import dataclasses
from typing import Optional

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText
from allennlp_coref_rc.annotations.annotators.annotator import Annotator
from allennlp_coref_rc.annotations.annotators.sieve.entities import Entities
from allennlp_coref_rc.annotations.annotators.sieve.mentions import MentionFinder
from allennlp_coref_rc.annotations.annotators.sieve.name_links import link_appositions, link_names, vote_genders
from allennlp_coref_rc.annotations.annotators.sieve.quotes import SpeakerFinder, find_quotes
from allennlp_coref_rc.annotations.annotators.sieve.references import ReferenceLinker
from allennlp_coref_rc.annotations.annotators.sieve.speakers import Speakers
from allennlp_coref_rc.annotations.clusters import check_max_clusters, largest_clusters
from allennlp_coref_rc.annotations.sentences import sentence_spans
from allennlp_coref_rc.common.errors import ConfigurationError


@Annotator.register("sieve_coref")
class SieveCoref(Annotator):
    """
    Coreference of English text by rules, the most certain first, in the tradition of the multi-pass sieve (Raghunathan
    et al., EMNLP 2010; Lee et al., Computational Linguistics 2013): the same names; parts of names, with titles; names
    and the noun phrases beside them; definite noun phrases with the same head; pronouns by salience, gender and number;
    and, in quotations, who speaks to whom.

    The originals use a parser's trees, a tagger's entities, and tables of gender and number counted on the web. Here
    word lists and capital letters take their place, so that nothing has to be downloaded. The text itself tells the
    rest: the pronouns after a name show its gender. Mentions are pronouns, names, and common nouns for persons, groups,
    places and vehicles. In text without capital letters, names are listed names and unknown words that act or speak.
    Tokens and sentences are those of the text, but a text of a single sentence is split at full stops.

    Registered as an `Annotator` with name "sieve_coref".

    # Parameters

    max_pronoun_distance : `int`, optional (default = `8`)
        The most sentences between a pronoun and the latest mention of its entity.
    all_nouns : `bool`, optional (default = `False`)
        Let noun phrases with any head be mentions ("the milk"), and link "it" and "its" too.
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
        max_pronoun_distance: int = 8,
        all_nouns: bool = False,
        include_singletons: bool = False,
        max_clusters: Optional[int] = None,
    ) -> None:
        if max_pronoun_distance < 0:
            raise ConfigurationError(
                f"sieve_coref: max_pronoun_distance is {max_pronoun_distance}, expected 0 or more sentences"
            )
        check_max_clusters("sieve_coref", max_clusters)
        self._max_pronoun_distance = max_pronoun_distance
        self._all_nouns = all_nouns
        self._min_mentions = 1 if include_singletons else 2
        self._max_clusters = max_clusters

    def annotate(self, text: AnnotatedText) -> AnnotatedText:
        sentences = text.sentences if len(text.sentences) > 1 else sentence_spans(text.tokens)
        finder = MentionFinder(text.tokens, sentences, self._all_nouns)
        mentions = finder.find()
        quotes = find_quotes(text.tokens)
        SpeakerFinder(text.tokens, finder.words, sentences, mentions).attribute(quotes)
        speakers = Speakers(quotes, len(text))
        entities = Entities()
        link_names(entities, mentions)
        link_appositions(entities, mentions, finder.words)
        vote_genders(entities, mentions, finder.words)
        ReferenceLinker(entities, speakers, finder.words, self._max_pronoun_distance, self._all_nouns).link(mentions)
        speakers.link(entities)
        clusters = [sorted(mention.span for mention in entity.mentions) for entity in entities]
        clusters = sorted(cluster for cluster in clusters if len(cluster) >= self._min_mentions)
        return dataclasses.replace(text, clusters=text.clusters + largest_clusters(clusters, self._max_clusters))
