import re
from typing import Optional

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText, Span
from allennlp_coref_rc.annotations.annotators.annotator import Annotator
from allennlp_coref_rc.annotations.clusters import largest_clusters
from allennlp_coref_rc.common.checks import check_number
from allennlp_coref_rc.common.errors import ConfigurationError


@Annotator.register("entity_marker_coref")
class EntityMarkerCoref(Annotator):
    """
    Coreference that the data set itself marks: equal markers form a cluster. CNN / Daily Mail (Hermann et
    al., 2015) replace every entity by `@entityN`, after resolving coreference.

    Registered as an `Annotator` with name "entity_marker_coref".

    # Parameters

    pattern : `str`, optional (default = `"@entity[0-9]+"`)
        A regular expression that matches a whole marker.
    min_mentions : `int`, optional (default = `2`)
        Markers that occur less often form no cluster.
    max_clusters : `int`, optional (default = `None`)
        Keep only this many clusters, those with the most mentions. By default all.

    # Example

    ```jsonnet
    {"type": "entity_marker_coref", "max_clusters": 50}
    ```
    """

    def __init__(
        self, pattern: str = "@entity[0-9]+", min_mentions: int = 2, max_clusters: Optional[int] = None
    ) -> None:
        check_number("entity_marker_coref", "min_mentions", min_mentions)
        check_number("entity_marker_coref", "max_clusters", max_clusters, least=0)
        try:
            self._marker = re.compile(pattern)
        except re.error as error:
            raise ConfigurationError(
                f"entity_marker_coref: pattern is {pattern!r}, expected a regular expression: {error}"
            ) from error
        self._min_mentions = min_mentions
        self._max_clusters = max_clusters

    def annotate(self, text: AnnotatedText) -> AnnotatedText:
        mentions: dict[str, list[Span]] = {}
        for position, token in enumerate(text.tokens):
            if self._marker.fullmatch(token):
                mentions.setdefault(token, []).append((position, position + 1))
        clusters = [cluster for cluster in mentions.values() if len(cluster) >= self._min_mentions]
        return text.with_more(clusters=largest_clusters(clusters, self._max_clusters))
