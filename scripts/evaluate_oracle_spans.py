"""
Times the search for the spans that are most like NarrativeQA's free-form answers, and scores a model that would always
find them.

    python scripts/evaluate_oracle_spans.py data/narrativeqa/test
"""

import statistics
import time

from allennlp_coref_rc.common.script import ScriptParser, run
from allennlp_coref_rc.data.dataset_readers import AnnotatedNarrativeQaReader
from allennlp_coref_rc.data.dataset_readers.oracle_spans import ORACLES
from allennlp_coref_rc.metrics.narrativeqa import NarrativeQaMetric
from allennlp_coref_rc.metrics.overlap import bleu, bleu_counts
from allennlp_coref_rc.metrics.ptb_tokens import ptb_tokens


def main() -> None:
    parser = ScriptParser(__doc__)
    parser.add_argument("path", help="FOLDER/SPLIT")
    parser.add_argument("--oracle", default="best", choices=ORACLES)
    arguments = parser.parse_args()

    reader = AnnotatedNarrativeQaReader(oracle=arguments.oracle)
    start = time.perf_counter()
    documents = [document for _, document in reader.documents(arguments.path)]
    seconds = time.perf_counter() - start
    questions = [(document.text.tokens, data) for document in documents for data in document.data["questions"]]
    pairs = [(" ".join(tokens[slice(*data["span"])]), data["answers"]) for tokens, data in questions]
    print(f"{len(pairs)} questions of {len(documents)} documents, oracle {arguments.oracle!r}")
    print(f"{seconds:.1f} s, {len(pairs) / seconds:.0f} questions/s")
    for name, metric in (
        ("as the papers report", NarrativeQaMetric()),
        ("best F over the references", NarrativeQaMetric(same_reference=True)),
    ):
        metric(*zip(*pairs))
        scores = " ".join(f"{key} {100 * value:.2f}" for key, value in metric.get_metric().items())
        print(f"{name}: {scores}")
    single = [bleu(bleu_counts(ptb_tokens(span), list(map(ptb_tokens, answers))))[0] for span, answers in pairs]
    print(f"mean of the Bleu-1 of single questions: {100 * statistics.fmean(single):.2f}")
    print(f"{sum(data['rouge_l'] == 0 for _, data in questions)} questions without a word of an answer in the passage")


if __name__ == "__main__":
    run(main)
