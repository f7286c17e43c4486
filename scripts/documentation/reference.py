"""
The pages of the reference: a page for each kind of registered class, found in the folders of the package.

They are Markdown in which mkdocstrings fills in the docstrings. If no page is for a class's kind, that is an
error, so that no class can be forgotten.
"""

import ast
import json
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple, Union

import griffe

from scripts.documentation.places import PROJECT

PACKAGE = "allennlp_coref_rc"


class Page(NamedTuple):
    title: str
    introduction: str
    kinds: Sequence[str]


PAGES = {
    "dataset_readers": Page(
        "Dataset readers",
        "`dataset_reader` of a config, and `--reader` of `coref-rc annotate`.",
        ["DatasetReader"],
    ),
    "annotators": Page(
        "Annotators",
        "`dataset_reader.annotator` of a config, and `--annotator` of `coref-rc annotate`.",
        ["Annotator"],
    ),
    "annotation_layers": Page(
        "Annotation layers",
        "`dataset_reader.annotation_layers` of a config, under any names.",
        ["AnnotationLayer"],
    ),
    "models": Page(
        "Models", "`model` of a config, and `backbone` of AllenNLP's `multitask`.", ["Model", "Backbone"]
    ),
    "encoders": Page(
        "Encoders",
        "`passage_encoders` and `question_encoders` of `ga_reader`, `modeling_layer` of `annotated_qanet`, and "
        "wherever AllenNLP has an encoder.",
        ["Seq2SeqEncoder", "Seq2VecEncoder"],
    ),
    "parts_of_readers": Page(
        "Parts of readers",
        "`gating`, `entity_substitution`, `pointer`, `classifier` and `head` of the models that have them.",
        ["Gating", "EntitySubstitution", "AnswerLayer", "Head"],
    ),
    "words": Page(
        "Words",
        "How a text becomes words, and words become numbers and vectors.",
        ["Tokenizer", "TokenIndexer", "TokenEmbedder"],
    ),
    "training": Page(
        "Training",
        "The `data_loader`, parts of `trainer` and `callbacks`, and the `initializer` of a model.",
        [
            "DataLoader",
            "Initializer",
            "LearningRateScheduler",
            "MovingAverage",
            "Checkpointer",
            "TrainerCallback",
        ],
    ),
    "metrics": Page("Metrics", "What validation and `coref-rc evaluate` measure.", ["Metric"]),
    "predictors": Page(
        "Predictors", "`--predictor` of `coref-rc predict`. Each model has its own by default.", ["Predictor"]
    ),
    "drawings": Page("Drawings", "`drawing` of a figure in a description of experiments.", ["Drawing"]),
}

PYTHON = {
    "Annotate and ask": ["api.annotate.annotate", "api.load.load"],
    "Batches for encoders": ["api.collate.collate", "api.collate.label_names"],
    "Results": ["api.load.Reader", "api.answer.Answer"],
    "Annotated texts": [
        "annotations.annotated_text.AnnotatedText",
        "annotations.annotated_text.Frame",
        "annotations.annotated_text.DiscourseRelation",
        "annotations.document.Document",
    ],
}
"""The headings of the page python.md, and the functions and classes below each, which programs use."""


class Registered(NamedTuple):
    kind: str
    name: str
    cls: griffe.Class


@lru_cache(maxsize=None)
def package() -> griffe.Module:
    return griffe.load(PACKAGE, search_paths=[str(PROJECT)], allow_inspection=False)


@lru_cache(maxsize=None)
def registered() -> list[Registered]:
    """All classes that the package registers, ordered by name."""
    listed = [
        Registered(
            decorator.callable_path.split(".")[-2], ast.literal_eval(decorator.value.arguments[0]), cls
        )
        for cls in classes(package())
        for decorator in cls.decorators
        if decorator.callable_path.endswith(".register")
    ]
    return sorted(listed, key=lambda each: each.name)


def classes(module: griffe.Module) -> Iterator[griffe.Class]:
    for member in (member for member in module.members.values() if not member.is_alias):
        if member.is_module:
            yield from classes(member)
        elif member.is_class:
            yield member


class Entry(NamedTuple):
    """A class or function on a page of the reference."""

    path: str
    heading: str
    level: int
    members: Sequence[str] = ()

    def markdown(self) -> str:
        """The block from which mkdocstrings makes the entry."""
        options = {"heading": self.heading, "toc_label": self.heading, "heading_level": self.level}
        if self.members:
            options |= {"members": list(self.members), "separate_signature": False}
        return f"::: {self.path}\n    options: {json.dumps(options)}"


@lru_cache(maxsize=None)
def contents() -> dict[str, list[Union[str, Entry]]]:
    """By their paths on the site, the pages of the reference: pieces of Markdown, and entries."""
    unknown = {each.kind for each in registered()} - {kind for page in PAGES.values() for kind in page.kinds}
    if unknown:
        raise ValueError(
            f"{__file__}: found registered classes of kinds {sorted(unknown)}, expected them in PAGES"
        )
    of_kinds = {f"reference/{name}.md": page_of_kinds(page) for name, page in PAGES.items()}
    shown: set[str] = set()
    for page, blocks in of_kinds.items():
        # The heads of a model share base classes with models.
        of_kinds[page] = [block for block in blocks if isinstance(block, str) or block.path not in shown]
        shown.update(block.path for block in blocks if isinstance(block, Entry))
    return {"reference/python.md": page_of_python(), **of_kinds}


def pages() -> dict[str, str]:
    """By their paths on the site, the Markdown of the pages of the reference."""
    return {
        path: "\n\n".join(each if isinstance(each, str) else each.markdown() for each in blocks) + "\n"
        for path, blocks in contents().items()
    }


@lru_cache(maxsize=None)
def places() -> dict[str, str]:
    """By file of the package, the place on the site of its first class that is there."""
    places: dict[str, str] = {}
    for page, blocks in contents().items():
        for entry in blocks:
            if isinstance(entry, Entry):
                file = entry.path.rpartition(".")[0].replace(".", "/") + ".py"
                places.setdefault(file, f"{page}#{entry.path}")
    return places


def page_of_kinds(page: Page) -> list[Union[str, Entry]]:
    blocks: list[Union[str, Entry]] = [f"# {page.title}", page.introduction]
    shown = [found for found in registered() if found.kind in page.kinds]
    level = 2 if len(page.kinds) == 1 else 3
    for kind in page.kinds:
        if level == 3:
            blocks.append(f"## {kind}")
        of_kind = [each for each in shown if each.kind == kind]
        blocks += [Entry(each.cls.path, each.name, level, forward(each.cls)) for each in of_kind]
    bases = {base.name: base for found in shown for base in found.cls.mro()}
    for found in shown:
        bases.pop(found.cls.name, None)
    if bases:
        blocks.append("## Base classes")
        blocks += [Entry(base.path, name, 3, explained(base)) for name, base in sorted(bases.items())]
    return blocks


def page_of_python() -> list[Union[str, Entry]]:
    blocks: list[Union[str, Entry]] = [
        "# Python",
        "For programs. The other pages have what a config can name.",
    ]
    for heading, names in PYTHON.items():
        blocks.append(f"## {heading}")
        for name in names:
            found = package()[name]
            blocks.append(Entry(found.path, found.name, 3, explained(found)))
    return blocks


def forward(cls: griffe.Class) -> list[str]:
    """The method `forward`, if it is described."""
    return [name for name in explained(cls) if name == "forward"]


def explained(described: griffe.Object) -> list[str]:
    """The public members of a class that have a docstring."""
    return [name for name, member in described.members.items() if name[0] != "_" and member.has_docstring]


def with_links(text: str) -> str:
    """The page of names, where each registered name links to its class."""
    paths = {found.name: found.cls.path for found in registered()}
    return re.sub(
        r"`(\w+)`", lambda match: f"[{match[0]}][{paths[match[1]]}]" if match[1] in paths else match[0], text
    )
