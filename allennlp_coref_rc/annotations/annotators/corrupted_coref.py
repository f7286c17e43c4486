import random
from dataclasses import replace
from typing import Optional
from zlib import crc32

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText
from allennlp_coref_rc.annotations.annotators.annotator import Annotator
from allennlp_coref_rc.annotations.clusters import random_clusters, remove_mentions, replace_mentions
from allennlp_coref_rc.common.errors import ConfigurationError


@Annotator.register("corrupted_coref")
class CorruptedCoref(Annotator):
    """
    Coreference clusters made worse on purpose, to see how much a model depends on them: Figure 3 (left) of
    Coref-GRU (Dhingra et al., NAACL 2018).

    Registered as an `Annotator` with name "corrupted_coref".

    # Parameters

    annotator : `Annotator`, optional (default = `None`)
        Makes the clusters. By default the clusters of the text are used.
    remove_mentions : `float`, optional (default = `0.0`)
        Leave each mention out with this probability.
    replace_mentions : `float`, optional (default = `0.0`)
        Put a random token in the place of each mention with this probability; 1 makes all clusters random.
    random_clusters : `bool`, optional (default = `False`)
        Replace the clusters by random ones of the same sizes ("GA w/ random-GRU").
    min_mentions : `int`, optional (default = `2`)
        If mentions are removed, clusters with fewer mentions left are removed too.
    seed : `int`, optional (default = `13370`)
        Random choices depend only on the seed and the text, not on the order in which texts are read.
    """

    def __init__(
        self,
        annotator: Optional[Annotator] = None,
        remove_mentions: float = 0.0,
        replace_mentions: float = 0.0,
        random_clusters: bool = False,
        min_mentions: int = 2,
        seed: int = 13370,
    ) -> None:
        for key, share in (("remove_mentions", remove_mentions), ("replace_mentions", replace_mentions)):
            if not 0.0 <= share <= 1.0:
                raise ConfigurationError(f"corrupted_coref: {key} is {share}, expected 0 to 1")
        self._annotator = annotator
        self._remove_mentions = remove_mentions
        self._replace_mentions = replace_mentions
        self._random_clusters = random_clusters
        self._min_mentions = min_mentions
        self._seed = seed

    def annotate(self, text: AnnotatedText) -> AnnotatedText:
        if self._annotator is not None:
            text = self._annotator.annotate(text)
        clusters = text.clusters
        rng = random.Random(f"{self._seed} {crc32(' '.join(text.tokens).encode('utf-8', 'surrogatepass'))}")
        if self._random_clusters:
            clusters = random_clusters(clusters, len(text), rng)
        if self._replace_mentions:
            clusters = replace_mentions(clusters, self._replace_mentions, len(text), rng)
        if self._remove_mentions:
            clusters = remove_mentions(clusters, self._remove_mentions, rng, self._min_mentions)
        # The links belong to the clusters before.
        return replace(text, clusters=clusters, links=text.links if clusters == text.clusters else [])
