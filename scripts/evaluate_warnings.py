"""
Puts words that a reader does not know into the simulated stories that come with the package, and counts how many of its
right and of its wrong answers get a warning.

    coref-rc train babi/quick_start.jsonnet -s output/quick_start
    python scripts/evaluate_warnings.py output/quick_start/model.tar.gz
"""

import re
from itertools import chain

import allennlp_coref_rc
from allennlp_coref_rc.common.script import ScriptParser, run
from allennlp_coref_rc.data.babi.babi_files import find_split, read_babi
from allennlp_coref_rc.data.dataset_readers.annotated_babi import BUNDLED_FOLDER

KNOWN = ("garden", "office", "kitchen", "hallway", "bathroom", "bedroom")
PLACES = dict(zip(KNOWN, ("aquarium", "cellar", "attic", "museum", "shed", "library")))

REPLACED: dict[str, dict[str, str]] = {
    "none": {},
    "one of the places": dict(list(PLACES.items())[:1]),
    "half of the places": dict(list(PLACES.items())[:3]),
    "all places": PLACES,
    "one of the names": {"mary": "Zelda"},
    "one of the things": {"milk": "trumpet"},
    "one of the verbs": {"went": "ferried"},
}
"""The words that are replaced, and the unknown words that take their place."""


def main() -> None:
    parser = ScriptParser(__doc__)
    parser.add_argument("archive", help="of babi/quick_start.jsonnet")
    parser.add_argument("--questions", type=int, default=1000)
    arguments = parser.parse_args()

    predictor = allennlp_coref_rc.load(arguments.archive).predictor
    questions = list(read_babi(find_split(str(BUNDLED_FOLDER), 2, "test")))[: arguments.questions]
    print("| unknown | wrong | with a warning | right | with a warning |\n|---|---|---|---|---|")
    for name, words in REPLACED.items():

        def changed(text: str, words: dict[str, str] = words) -> str:
            return re.sub(r"\w+", lambda match: words.get(match[0].lower(), match[0]), text)

        counts: dict[bool, list[bool]] = {False: [], True: []}
        inputs = [{"passage": [*map(changed, one.statements)], "question": changed(one.question)} for one in questions]
        batches = (predictor.predict_batch_json(inputs[i : i + 100]) for i in range(0, len(inputs), 100))
        for question, output in zip(questions, chain.from_iterable(batches)):
            answer, expected = str(output["answer"]).lower(), changed(question.answer).lower()
            counts[answer == expected].append("warnings" in output)
        wrong, right = counts[False], counts[True]
        print(f"| {name} | {len(wrong)} | {sum(wrong)} | {len(right)} | {sum(right)} |", flush=True)


if __name__ == "__main__":
    run(main)
