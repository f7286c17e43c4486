"""
The drawings of docs/how_it_works.md, computed by the annotation layers from one annotated story:

    python -m scripts.documentation.drawings

writes them into docs/figures/how_it_works.
"""

from html import escape
from typing import Any

from allennlp_coref_rc.annotations import AnnotatedText
from allennlp_coref_rc.annotations.annotated_text import Frame
from allennlp_coref_rc.data.annotation_layers import CorefClusters, CorefEdges, CorefViews, Layer, SrlViews
from allennlp_coref_rc.data.annotation_layers.edges import OTHER_SEQUENCE
from scripts.documentation.places import PROJECT

FOLDER = PROJECT / "docs" / "figures" / "how_it_works"

PASSAGE = "Mary got the milk . John left . She went to the office .".split()

STORY = AnnotatedText(
    tokens=[*PASSAGE, *"Where is the milk ?".split()],
    sentences=[(0, 5), (5, 8), (8, 14), (14, 19)],
    clusters=[[(0, 1), (8, 9)], [(2, 4), (16, 18)]],
    frames=[
        Frame((1, 2), [("ARG0", (0, 1)), ("ARG1", (2, 4))]),
        Frame((6, 7), [("ARG0", (5, 6))]),
        Frame((9, 10), [("ARG0", (8, 9)), ("ARG4", (10, 13))]),
    ],
)
"""A passage and its question, with coreference clusters and semantic roles."""

COLOURS = ("#1d7fbf", "#bf5b1d", "#4f8a10", "#8a45d5", "#a0185a")

GREY, LIGHT, DARK = "#9aa0a6", "#e4e7ea", "#202428"


class Svg:
    """A picture that is 720 pixels wide, to which elements are added."""

    def __init__(self, height: int, title: str) -> None:
        self._lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 {height}" width="720" height="{height}" '
            f'font-family="Helvetica, Arial, sans-serif" role="img">',
            f"<title>{escape(title)}</title>",
        ]
        for colour in (GREY, *COLOURS):
            self._lines.append(
                f'<marker id="arrow-{colour[1:]}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" '
                f'markerHeight="6" orient="auto"><path d="M0 0L8 4L0 8z" fill="{colour}"/></marker>'
            )
        self.rectangle(0, 0, 720, height, "#ffffff", rx=8)

    def rectangle(self, x: float, y: float, width: float, height: float, fill: str, **more: Any) -> None:
        self._add("rect", x=x, y=y, width=width, height=height, fill=fill, **more)

    def text(self, x: float, y: float, text: str, size: int = 13, anchor: str = "middle", **more: Any) -> None:
        more = {"fill": DARK, **more}
        self._add("text", escape(text), x=x, y=y, font_size=size, text_anchor=anchor, **more)

    def arrow(self, path: str, colour: str) -> None:
        self._add("path", d=path, fill="none", stroke=colour, stroke_width=2, marker_end=f"url(#arrow-{colour[1:]})")

    def _add(self, element: str, content: str = "", **attributes: Any) -> None:
        numbers = {name: f"{value:g}" for name, value in attributes.items() if isinstance(value, float)}
        written = " ".join(f'{name.replace("_", "-")}="{value}"' for name, value in {**attributes, **numbers}.items())
        self._lines.append(f"<{element} {written}>{content}</{element}>" if content else f"<{element} {written}/>")

    def __str__(self) -> str:
        return "\n".join([*self._lines, "</svg>", ""])


def edges() -> Svg:
    """The states that each token reads when the passage and the question are read forward."""
    picture = Svg(265, "A story and a question; arrows lead from each token's state to the tokens that read it")
    clusters = [numbers for part in CorefClusters().make(STORY, len(PASSAGE)) for numbers in part["clusters"]]
    colours = [COLOURS[numbers[-1]] if numbers else None for numbers in clusters]
    passage, question = ([(x, y) for x in range(35, 35 + 50 * length, 50)] for y, length in ((115, 14), (225, 5)))
    for row, label in ((passage, "passage"), (question, "question")):
        picture.text(19, row[0][1] - (85 if label == "passage" else 27), label, 12, "start", fill=GREY)
        for (x, y), (following, _) in zip(row, row[1:]):
            picture.arrow(f"M{x + 18} {y + 16}H{following - 19}", GREY)
    for (x, y), token, colour in zip([*passage, *question], STORY.tokens, colours):
        picture.text(x, y, token, 14, fill=colour or DARK, font_weight="bold" if colour else "normal")
        picture.rectangle(x - 16, y + 9, 16, 13, GREY)
        picture.rectangle(x, y + 9, 16, 13, colour or "#ffffff", stroke=colour or GREY)
    for row, part, start in zip((passage, question), CorefEdges().make(STORY, len(PASSAGE)), (0, len(PASSAGE))):
        for i, ((x, y), sources) in enumerate(zip(row, part["antecedents"])):
            for source in sources:
                colour = colours[start + i] or GREY
                if source <= OTHER_SEQUENCE:
                    from_x, from_y = passage[OTHER_SEQUENCE - source]
                    curve = f"C{from_x} {from_y + 70} {x} {y - 60} {x} {y - 17}"
                    picture.arrow(f"M{from_x + 8} {from_y + 24}{curve}", colour)
                elif source >= 0:
                    middle, top = (row[source][0] + x) / 2, y - 25 - abs(x - row[source][0]) / 5
                    picture.arrow(f"M{row[source][0]} {y - 18}Q{middle} {top} {x} {y - 18}", colour)
    for x, colour, unit in ((300, GREY, "token"), (505, COLOURS[0], "mention")):
        picture.rectangle(x, 224, 16, 13, colour)
        picture.text(x + 22, 235, f"passes from {unit} to {unit}", 12, "start")
    picture.text(300, 215, "The two parts of a token's state:", 12, "start")
    return picture


def views() -> Svg:
    """Which tokens of the passage each token sees, in a plain head and in heads with views."""
    picture = Svg(305, "Three attention heads over one passage: a plain one, one with coreference, one with roles")
    tokens, cell, top = PASSAGE, 13, 65
    heads: list[tuple[str, Layer]] = [
        ("a plain head", {"labels": [[""]] * len(tokens), "scopes": [[1]] * len(tokens)}),
        ("a head with coref_views", CorefViews().make(STORY, len(tokens))[0]),
        ("a head with srl_views", SrlViews(max_views=1).make(STORY, len(tokens))[0]),
    ]
    for left, (title, layer) in zip((70, 290, 510), heads):
        # "B-ARG1" is the first token of a phrase, and "I-ARG1" are its other tokens.
        labels = [token[0].rpartition("-")[2] for token in layer["labels"]]
        scopes = [token[0] for token in layer["scopes"]]
        kinds = sorted({label for label in labels if label})
        picture.text(left + 6.5 * cell, 30, title, 12, font_weight="bold")
        for i, token in enumerate(tokens):
            if left == 70:
                picture.text(left - 18, top + cell * i + 10, token, 11, "end")
            fill = COLOURS[kinds.index(labels[i])] if labels[i] else "#ffffff"
            for x, y in ((left - 14, top + cell * i), (left + cell * i, top - 14)):
                picture.rectangle(x, y, cell - 2, cell - 2, fill, stroke=LIGHT)
            for j in range(len(tokens)):
                fill = "#aab3bc" if scopes[i] == scopes[j] else "#f3f4f5"
                picture.rectangle(left + cell * j, top + cell * i, cell - 1, cell - 1, fill)
        for i, kind in enumerate(kinds):
            picture.rectangle(left + 47 * i, 270, 11, 11, COLOURS[i])
            picture.text(left + 47 * i + 14, 280, kind, 11, "start")
    picture.text(290, 262, "label: number of the cluster", 11, "start", fill=GREY)
    picture.text(510, 262, "label: role", 11, "start", fill=GREY)
    picture.rectangle(70, 270, 11, 11, "#aab3bc")
    picture.text(84, 280, "the row's token sees this one", 11, "start")
    return picture


def way() -> Svg:
    """The way from a text to an answer."""
    picture = Svg(150, "From a text over an annotated text and an instance to an answer")
    boxes = [
        ("Text", ["Mary got the", "milk. John left. …"]),
        ("AnnotatedText", ["tokens, sentences", "clusters, frames", "relations"]),
        ("Instance", ["words as numbers", "edges or views", "candidates"]),
        ("Answer", ["office", "and how probable", "each candidate is"]),
    ]
    steps = [("Annotator", "sieve_coref"), ("DatasetReader", "coref_edges"), ("Model", "coref_gru")]
    for i, (title, content) in enumerate(boxes):
        left = 5 + 199 * i
        picture.rectangle(left, 30, 113, 90, "#f3f6f9", stroke=COLOURS[0], rx=6)
        picture.text(left + 56, 51, title, 13, font_weight="bold")
        for j, line in enumerate(content):
            picture.text(left + 56, 72 + 16 * j, line, 12)
    for i, (cls, example) in enumerate(steps):
        left = 118 + 199 * i
        picture.arrow(f"M{left + 6} 75H{left + 80}", COLOURS[0])
        picture.text(left + 43, 64, cls, 11, font_weight="bold")
        picture.text(left + 43, 93, example, 11, fill="#5f6368")
    return picture


DRAWINGS = {"edges": edges, "views": views, "way": way}


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, draw in DRAWINGS.items():
        (FOLDER / f"{name}.svg").write_text(str(draw()), encoding="utf-8")


if __name__ == "__main__":
    main()
