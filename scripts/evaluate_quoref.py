"""
Counts what a coreference annotator knows about the answers of Quoref's questions: how many of them are spans of tokens,
how many are mentions in a cluster, and how many have an antecedent there.

    python scripts/evaluate_quoref.py data/quoref/quoref-dev-v0.1.json
"""

import time
from collections.abc import Iterator

from allennlp_coref_rc.annotation_runs.config_option import build_annotator
from allennlp_coref_rc.annotations import Document
from allennlp_coref_rc.common.script import ScriptParser, run
from allennlp_coref_rc.data.dataset_readers import AnnotatedQuorefReader

KINDS = (
    "spans of answers",
    "found as tokens",
    "begin and end where tokens do",
    "are a mention of a cluster with other mentions in the passage",
    "have an antecedent, a mention before",
)


def main() -> None:
    parser = ScriptParser(__doc__)
    parser.add_argument("path", help="a file of Quoref")
    parser.add_argument("--annotator", default="sieve_coref", help="a name, JSON or a file (default: %(default)s)")
    arguments = parser.parse_args()

    reader = AnnotatedQuorefReader(annotator=build_annotator("--annotator", arguments.annotator))
    start = time.perf_counter()
    documents = [document for _, document in reader.documents(arguments.path)]
    seconds = time.perf_counter() - start

    questions = [question for document in documents for question in document.data["questions"]]
    lengths = [document.parts[0] for document in documents]
    print(
        f"{len(questions)} questions of {len(documents)} passages, which have {sum(lengths) / len(lengths):.0f} tokens "
        f"on average and at most {max(lengths)}; read and annotated in {seconds:.1f} s"
    )
    print(f"{sum(len(question.get('answers', [])) > 1 for question in questions)} questions with several spans")
    counts = [sum(column) for column in zip(*(row for document in documents for row in kinds(document)))]
    for kind, count in zip(KINDS, counts):
        print(f"{count} of {counts[0]} {kind}")


def kinds(document: Document) -> Iterator[list[bool]]:
    """For each span of an answer, which of `KINDS` it is."""
    text, offsets = document.text.text, document.text.offsets
    for question in document.data["questions"]:
        for answer, span in zip(question.get("answers", []), question.get("spans", [])):
            if span is None:
                yield [True, False, False, False, False]
                continue
            start, end = span
            exact = text[offsets[start][0] : offsets[end - 1][1]] == answer
            clusters = [cluster for cluster in document.text.clusters if (start, end) in cluster]
            mentions = [mention for cluster in clusters for mention in cluster if mention[1] <= document.parts[0]]
            others = [mention for mention in mentions if mention != (start, end)]
            yield [True, True, exact, bool(others), any(other < (start, end) for other in others)]


if __name__ == "__main__":
    run(main)
