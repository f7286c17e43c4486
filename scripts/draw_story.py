"""
Draws what readers believe after each sentence of a bAbI story, as heat maps of candidates by sentences: Figure 4 of the
MAGE-GRU paper (Dhingra et al. 2017, arXiv:1703.02620).

    python scripts/draw_story.py output/stories data/babi/qa7_counting_test.txt GA=ga.tar.gz MAGE=mage.tar.gz \\
        --questions 1 4

writes `question_1.png`, `question_1.html` and so on: the readers beside each other, the correct answer and the
sentences that support it marked (a reader that does not know the answer gives it 0).

A reader reads the story's first sentence, then the first two, and so on (`--way prefixes`). As in the paper, `--way
boundaries` reads the story once and puts the encoding of each sentence's end in the place of what attention has made
of all; that is for readers whose answers are classes (tasks 6 to 10, 15 and 17 to 20). In the place of a file the name
of a split, "test", stands for the one that the first reader's config names. What cannot be used ends the program with
status 2 and one line that says why; nothing is written then.
"""

import argparse
from pathlib import Path

from tqdm import tqdm

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import named_paths
from allennlp_coref_rc.pages.stories import write_story
from allennlp_coref_rc.reproduction.figures.stories import WAYS, find_stories, load_reader


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where pages and pictures go")
    parser.add_argument("stories", help="a file in the format of the bAbI tasks, or a split that the readers know")
    parser.add_argument("archives", nargs="+", metavar="NAME=ARCHIVE", help="of trained readers")
    parser.add_argument("--questions", nargs="+", type=int, default=[1], help="numbers in the file (default: 1)")
    parser.add_argument("--way", choices=WAYS, default="prefixes", help="default: prefixes")
    arguments = parser.parse_args()
    try:
        predictors = {name: load_reader(path) for name, path in named_paths(arguments.archives).items()}
        first = next(iter(predictors.values()))._dataset_reader
        stories = find_stories(first, arguments.stories, arguments.questions)
        believed = {
            number: {name: WAYS[arguments.way](predictor, story) for name, predictor in predictors.items()}
            for number, story in tqdm(stories.items(), desc="reading")
        }
        arguments.folder.mkdir(parents=True, exist_ok=True)
        for number, readers in tqdm(believed.items(), desc="drawing"):
            write_story(str(arguments.folder / f"question_{number}"), stories[number].question, readers)
    except (ConfigurationError, OSError) as error:
        parser.exit(2, f"{parser.prog}: error: {error}\n")


if __name__ == "__main__":
    main()
