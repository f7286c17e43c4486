"""How results look: their clusters as lines of text, and as HTML in notebooks."""

import html
from typing import Dict, List, Sequence

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText

COLOURS = ("#cfe8ff", "#ffe0b8", "#d5f0cf", "#f6d0e2", "#e3d9f7", "#f5efb0")


def cluster_line(texts: Sequence[str]) -> str:
    """The mentions of a cluster in a line: "Mary, She (2), her"."""
    counted: Dict[str, int] = {}
    for text in texts:
        counted[text] = counted.get(text, 0) + 1
    return "cluster: " + ", ".join(f"{text} ({n})" if n > 1 else text for text, n in counted.items())


def html_of(text: AnnotatedText) -> str:
    """A text whose mentions have the colours of their clusters."""
    words: List[str] = [html.escape(token) for token in text.tokens]
    for i, cluster in enumerate(text.clusters):
        for start, stop in cluster:
            words[start] = f'<span style="background: {COLOURS[i % len(COLOURS)]}">{words[start]}'
            words[stop - 1] += "</span>"
    return f"<div>{' '.join(words)}</div>"
