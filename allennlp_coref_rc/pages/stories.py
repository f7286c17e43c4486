"""Shows readers' beliefs after each sentence of a story, as a page and as a picture."""

from collections.abc import Sequence

from allennlp_coref_rc.common.files import write_text
from allennlp_coref_rc.common.pictures import pyplot, save
from allennlp_coref_rc.data.babi.babi_files import BabiQuestion
from allennlp_coref_rc.pages.templates import render

Distributions = list[dict[str, float]]
"""For each sentence of a story, the candidates' probabilities after it."""

MAX_CANDIDATES = 20


def shown_candidates(readers: Sequence[Distributions], answer: str) -> list[str]:
    """The correct answer and the candidates that were most probable after any sentence, sorted by name."""
    most: dict[str, float] = {answer: 1.0}
    for sentence in (sentence for distributions in readers for sentence in distributions):
        for name, probability in sentence.items():
            most[name] = max(probability, most.get(name, 0.0))
    return sorted(sorted(most, key=lambda name: (name != answer, -most[name], name))[:MAX_CANDIDATES])


def draw(
    path: str,
    question: BabiQuestion,
    readers: dict[str, Distributions],
    candidates: Sequence[str],
    answer: str,
) -> None:
    """
    Draws a panel for each reader, with a row for each sentence. Answer and supporting sentences are bold.
    """
    statements = question.statements
    # Sizes are in inches, with room for statements and names.
    panel = max(0.45 * len(candidates), 0.1 * max(map(len, readers))) + 0.3
    size = panel * len(readers) + 0.08 * max(map(len, statements)), 0.3 * len(statements) + 1.5
    figure, panels = pyplot.subplots(1, len(readers), figsize=size, squeeze=False, layout="constrained")
    for axes, (name, distributions) in zip(panels[0], readers.items()):
        matrix = [[sentence.get(candidate, 0.0) for candidate in candidates] for sentence in distributions]
        axes.imshow(matrix, aspect="auto", cmap="Reds", vmin=0, vmax=1)
        axes.set_title(name)
        axes.set_xticks(range(len(candidates)), candidates, rotation=60, ha="right")
        axes.set_yticks([])
        axes.get_xticklabels()[candidates.index(answer)].set_weight("bold")
    panels[0, 0].set_yticks(range(len(statements)), statements)
    for fact in question.supporting_facts:
        panels[0, 0].get_yticklabels()[fact].set_weight("bold")
    figure.suptitle(question.question)
    save(figure, path)


def write_story(path: str, question: BabiQuestion, readers: dict[str, Distributions]) -> list[str]:
    """
    Shows readers side by side, in a picture PATH.png and a page PATH.html with the numbers. Returns both
    paths.
    """
    answer = question.answer.lower()
    candidates = shown_candidates(list(readers.values()), answer)
    told = {name: list(zip(question.statements, sentences)) for name, sentences in readers.items()}
    page = render("story.html.jinja", question=question, readers=told, candidates=candidates, answer=answer)
    write_text(path + ".html", page)
    draw(path + ".png", question, readers, candidates, answer)
    return [path + ".png", path + ".html"]
