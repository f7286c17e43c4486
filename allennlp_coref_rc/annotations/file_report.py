from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from allennlp_coref_rc.annotations.document import Document, read_header, read_lines
from allennlp_coref_rc.annotations.layers import LAYERS
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.messages import counted, excerpt

COUNTED = ("tokens", "sentences", "clusters", "mentions", "frames", "relations", "edges")

SHOWN_PLACES, SHOWN_ERRORS = 3, 30
"""The most places that are shown for a kind of warning, and the most errors for a file."""


def count(document: Document) -> Counter:
    """
    Counts documents, the things in `COUNTED`, types ("relations Explicit"), and documents without a layer or
    any.
    """
    text = document.text
    counts = Counter(documents=1, mentions=sum(map(len, text.clusters)))
    counts.update({name: len(getattr(text, name)) for name in COUNTED if name != "mentions"})
    counts.update(f"relations {relation.type}" for relation in text.relations)
    counts.update(f"no {layer}" for layer in LAYERS if not getattr(text, layer))
    counts["no annotations"] = int(not any(getattr(text, layer) for layer in LAYERS))
    return counts


def lint_warnings(document: Document) -> Iterator[tuple[str, str]]:
    """Finds annotations that are allowed but probably wrong, and gives the kind and the place of each."""
    owners: dict[tuple[int, int], int] = {}
    for i, cluster in enumerate(document.text.clusters):
        if not cluster:
            yield "a cluster without mentions", f"cluster {i}"
        elif len(cluster) == 1:
            yield "a cluster of one mention", f"cluster {i}"
        for start, stop in cluster:
            owner = owners.setdefault((start, stop), i)
        twice = [mention for mention, times in Counter(cluster).items() if times > 1]
        if twice:
            yield "a mention twice in a cluster", f"[{twice[0][0]}, {twice[0][1]}) in cluster {i}"
        shared = [mention for mention in cluster if owners[mention] != i]
        if shared:
            (start, stop), owner = shared[0], owners[shared[0]]
            yield "a mention in two clusters", f"[{start}, {stop}) in clusters {owner} and {i}"
    for i, relation in enumerate(document.text.relations):
        if not relation.arg1 or not relation.arg2:
            yield "a relation without an argument", f"relation {i}"


@dataclass
class Report:
    """
    The result of `report_on_file`: the sums of all counts, the first errors, and the first places of
    warnings.
    """

    path: str
    counts: Counter = field(default_factory=Counter)
    num_errors: int = 0
    errors: list[str] = field(default_factory=list)
    warnings: Counter = field(default_factory=Counter)
    places: dict[str, list[str]] = field(default_factory=dict)

    def error(self, message: str) -> None:
        self.num_errors += 1
        if self.num_errors <= SHOWN_ERRORS:
            self.errors.append(message)

    def warn(self, kind: str, place: str) -> None:
        self.warnings[kind] += 1
        if self.warnings[kind] <= SHOWN_PLACES:
            self.places.setdefault(kind, []).append(place)

    def lines(self) -> Iterator[str]:
        documents = self.counts["documents"]
        yield self.path
        yield f"  {'documents':<24}{documents:>12,}"
        for name in COUNTED:
            mean = f"{self.counts[name] / documents:>12,.1f} a document" if documents else ""
            yield f"  {name:<24}{self.counts[name]:>12,}{mean}"
            types = sorted(key for key in self.counts if key.startswith(f"{name} "))
            yield from (f"    {key.split()[1]:<22}{self.counts[key]:>12,}" for key in types)
        for layer in LAYERS:
            number = self.counts[f"no {layer}"]
            share = f"{number / documents:>12.1%}" if documents else ""
            yield f"  {'documents with no ' + layer:<28}{number:>8,}{share}"
        for kind, number in self.warnings.items():
            more = "; …" if number > SHOWN_PLACES else ""
            yield f"  warning: {kind}, {counted(number, 'time')}: {'; '.join(self.places[kind])}{more}"
        for layer in LAYERS:
            number = self.counts[f"no {layer}"]
            if number and number < documents:
                yield f"  warning: {number:,} of {documents:,} documents have no {layer}"
        if documents and self.counts["no annotations"] == documents:
            nothing = f"none of {documents:,} documents has a cluster, frame, relation or edge"
            yield f"  WARNING: NOTHING IS ANNOTATED: {nothing}"
        yield from (f"  error: {error}" for error in self.errors)
        more = f", of which {SHOWN_ERRORS} are shown" if self.num_errors > SHOWN_ERRORS else ""
        yield f"  {counted(self.num_errors, 'error')}{more}"


def report_on_file(path: str) -> Report:
    """Checks every line of a file of documents. It stops before the end only if the file cannot be read."""
    report = Report(path)
    ids: Counter = Counter()
    said: dict[str, Any] = {}
    try:
        header = read_header(path) or {}
        said = header["counts"] if isinstance(header.get("counts"), dict) else {}
        for place, document in read_lines(path):
            if isinstance(document, ConfigurationError):
                report.error(str(document))
                continue
            line = place.removeprefix(f"{path}, ")
            report.counts.update(count(document))
            for kind, where in lint_warnings(document):
                report.warn(kind, f"{line}, {where}")
            id = document.text.id
            ids[id] += id is not None
            if ids[id] == 2:
                report.warn("two documents with the same id", f"{line}, {id!r}")
    except ConfigurationError as error:
        report.error(str(error))
    for name, value in said.items():
        if value != report.counts[name]:
            report.error(f"{path}: found {report.counts[name]} {name}, the header says {excerpt(value, 40)}")
    return report
