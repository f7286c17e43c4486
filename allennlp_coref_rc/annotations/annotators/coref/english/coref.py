from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Optional

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText
from allennlp_coref_rc.annotations.annotators.annotator import Annotator
from allennlp_coref_rc.annotations.annotators.coref.english import network
from allennlp_coref_rc.annotations.annotators.coref.english.entities import describe
from allennlp_coref_rc.annotations.annotators.coref.english.mentions import Document
from allennlp_coref_rc.annotations.annotators.coref.english.pairs import make_pairs
from allennlp_coref_rc.annotations.annotators.coref.sieve.turns import find_turns, with_turns
from allennlp_coref_rc.annotations.annotators.parse import Parse
from allennlp_coref_rc.annotations.annotators.split_tokens import SplitTokens
from allennlp_coref_rc.annotations.clusters import largest_clusters
from allennlp_coref_rc.annotations.english import MODEL, load_pipeline, parse
from allennlp_coref_rc.annotations.layers import Layers, Link, rounded
from allennlp_coref_rc.common.checks import check_number
from allennlp_coref_rc.common.errors import ConfigurationError

if TYPE_CHECKING:
    from spacy.tokens import Doc

GUIDELINES = ("ontonotes", "litbank")


@Annotator.register("coref")
class EnglishCoref(Annotator):
    """
    Coreference of English text by two small networks over the noun phrases of a parse. The first network
    leaves out noun phrases that the guideline would hardly annotate. The second ranks, for each mention, the
    mentions before it and the choice of a new entity (Denis and Baldridge, EMNLP 2008; Durrett and Klein,
    EMNLP 2013). Each mention joins the entity with the highest sum of probabilities; this sum is its confidence,
    often below one half. The networks see grammatical roles, clauses and agreement, types of entities, equal
    words, word classes from WordNet, who speaks in quotations, the clusters of names and nominals by
    `sieve_coref`, and the vectors of the parser's network.

    The model comes with this package. CARD.md beside it says what it was trained on. The features of "he" and
    "she" are the same.

    Registered as an `Annotator` with name "coref".

    # Parameters

    guideline : `str`, optional (default = `"ontonotes"`)
        What the clusters are like. "ontonotes": any noun phrase, with its appositions, and with "'s".
        "litbank": persons, groups, places, buildings and vehicles, without appositions and "'s".
        LitBank itself needs it: CoNLL F1 62.6, by default 54.3.
    include_singletons : `bool`, optional (default = `False`)
        Also return mentions that are linked to no other, each as a cluster of one. With "litbank" these are
        likely mentions of its kinds, with "ontonotes" noun phrases that might be mentioned again.
    max_clusters : `int`, optional (default = `None`)
        Keep only this many clusters, those with the most mentions. By default all.
    spacy_model : `str`, optional (default = `None`)
        The name or folder of another pipeline that parses the text. By default the pipeline of this package.
    path : `str`, optional (default = `None`)
        Weights that `scripts/train_coref.py` has written. By default the weights of this package.

    # Example

    ```jsonnet
    {"type": "coref", "guideline": "litbank", "include_singletons": true}
    ```
    """

    gives_confidences = True

    def __init__(
        self,
        guideline: str = "ontonotes",
        include_singletons: bool = False,
        max_clusters: Optional[int] = None,
        spacy_model: Optional[str] = None,
        path: Optional[str] = None,
    ) -> None:
        check_number("coref", "max_clusters", max_clusters, least=0)
        if guideline not in GUIDELINES:
            raise ConfigurationError(
                f"coref: guideline is {guideline!r}, expected one of {', '.join(GUIDELINES)}"
            )
        self._guideline = guideline
        self._include_singletons = include_singletons
        self._max_clusters = max_clusters
        self._spacy_model = spacy_model
        self._weights = network.load_weights(Path(path) if path else network.MODEL)

    def prepare(self) -> None:
        load_pipeline(self._spacy_model or MODEL)

    def annotate_batch(self, texts: Sequence[AnnotatedText]) -> list[AnnotatedText]:
        split = list(map(SplitTokens, texts))
        docs = parse([with_turns(words.text, apart=True) for words in split], self._spacy_model)
        annotated = []
        for text, words, doc in zip(texts, split, docs):
            found = words.layers(self._found(doc) if len(doc) else Layers())
            clusters = largest_clusters(found.clusters, self._max_clusters)
            mentions = set(chain.from_iterable(clusters))
            links = [link for link in found.links if link.mention in mentions]
            annotated.append(text.with_more(clusters=clusters, links=links))
        return annotated

    def _found(self, doc: "Doc") -> Layers:
        tree = Parse(doc)
        for turn in find_turns(tree.tokens, [start for start, _ in tree.sentences]):
            for token in range(*turn.label or (0, 0)):
                tree.pos[token], tree.tags[token], tree.entities[token] = "PROPN", "NNP", "person"
        document = Document(tree, self._guideline == "litbank", self._spacy_model is None)
        if not document.mentions:
            return Layers()
        document.keep(network.mention_scores(self._weights, document.vectors()))
        mentions, pairs = document.mentions, make_pairs(document)
        scores, new = network.score(
            self._weights, document.vectors(), describe(pairs), pairs.earlier, pairs.later
        )
        bonuses = self._weights[f"bonuses.{self._guideline}"]
        entity, linked = network.link(document, pairs, scores, new, bonuses)
        members: dict[int, list[int]] = {}
        for place, number in enumerate(entity.tolist()):
            members.setdefault(number, []).append(place)
        is_likely = document.scores > 0 if document.litbank else ~mentions.is_pronoun
        spans = list(zip(mentions.start.tolist(), mentions.stop.tolist()))
        clusters = sorted(
            [spans[place] for place in places]
            for places in members.values()
            if len(places) > 1 or (self._include_singletons and is_likely[places[0]])
        )
        return Layers(clusters, links=[Link(spans[i], spans[j], rounded(chance)) for i, j, chance in linked])
