"""
Makes the table of word classes that `coref` reads from WordNet's database files, which are in its folder
dict.

    python scripts/build_word_classes.py wordnet/dict words.xz

Each single word gets levels from 0 to 3. They say how often it is a noun, verb, adjective and adverb, and how
often the noun names a person, group, place, vehicle, animal, body part, other artifact or time. Further
entries say whether it names men, women, or a certain place or person. WordNet counts how often each sense
occurs in tagged texts. A sense that never occurs there counts a little, and less the further down WordNet
lists it.
"""

import lzma
from collections import Counter, defaultdict
from functools import lru_cache
from os.path import commonprefix
from pathlib import Path
from typing import NamedTuple

from allennlp_coref_rc.common.script import ScriptParser, run

POS = {"1": "noun", "2": "verb", "3": "adjective", "4": "adverb", "5": "adjective"}

ROOTS = {
    ("person", "individual"): "person",
    ("social_group",): "group",
    ("people",): "group",
    ("gathering", "assemblage"): "group",
    ("kin", "kin_group"): "group",
    ("structure", "construction"): "place",
    ("area",): "place",
    ("way",): "place",
    ("facility", "installation"): "place",
    ("body_of_water", "water"): "place",
    ("land", "dry_land"): "place",
    ("geological_formation", "formation"): "place",
    ("location",): "place",
    ("vehicle",): "vehicle",
    ("male", "male_person"): "male",
    ("female", "female_person"): "female",
}
"""By the first words of a synset in ROOT_FILES, the class of all synsets below it."""

ROOT_FILES = frozenset(["03", "06", "14", "17", "18"])

FILES = {"05": "animal", "06": "artifact", "08": "body", "15": "place", "28": "time"}
"""By the number of a file of WordNet's lexicographers, the class of all its synsets."""

CLASSES = ("person", "group", "place", "vehicle", "animal", "body", "artifact", "time")
LEVELS = ("noun", "verb", "adjective", "adverb", *CLASSES)
FLAGS = ("male", "female", "certain place", "certain person")


class Noun(NamedTuple):
    """A synset of nouns: its file, its words as they are written, and its hypernyms."""

    file: str
    words: list[str]
    hypernyms: list[str]
    is_instance: bool

    @property
    def classes(self) -> set[str]:
        """Without those of its hypernyms."""
        classes = {FILES[self.file]} if self.file in FILES else set()
        if self.file in ROOT_FILES:
            classes |= {name for root, name in ROOTS.items() if tuple(self.words[: len(root)]) == root}
        return classes


def read_nouns(path: Path) -> dict[str, Noun]:
    nouns = {}
    for line in path.open(encoding="utf-8"):
        if not line.startswith(" "):
            offset, file, _, count, *fields = line.split(" | ")[0].split()
            words, pointers = fields[: 2 * int(count, 16) : 2], fields[2 * int(count, 16) + 1 :]
            above = [i for i, field in enumerate(pointers) if field in ("@", "@i") and pointers[i + 2] == "n"]
            nouns[offset] = Noun(file, words, [pointers[i + 1] for i in above], "@i" in pointers)
    return nouns


def level(share: float) -> int:
    return sum(share > threshold for threshold in (0.02, 0.25, 0.7))


def read_words(folder: Path) -> dict[str, tuple[int, ...]]:
    nouns = read_nouns(folder / "data.noun")

    @lru_cache(maxsize=None)
    def classes(offset: str) -> set[str]:
        return nouns[offset].classes.union(*map(classes, nouns[offset].hypernyms))

    senses: dict[str, list[tuple[str, str, float]]] = defaultdict(list)
    seen = Counter[str]()
    for line in (folder / "index.sense").open(encoding="utf-8"):
        key, offset, rank, count = line.split()
        word, pos = key.split("%")[0], POS[key.split("%")[1][0]]
        if "_" not in word and word.replace("-", "").replace("'", "").isalpha():
            senses[word].append((pos, offset, int(count) + 0.5 / int(rank)))
            seen[word] += int(count)
    table: dict[str, tuple[int, ...]] = {}
    for word, entries in senses.items():
        weights = Counter[str]()
        for pos, offset, weight in entries:
            weights["all"] += weight
            weights[pos] += weight
            if pos == "noun":
                certain = nouns[offset].is_instance and any(word[0].isupper() for word in nouns[offset].words)
                kind = next((name for name in CLASSES if name in classes(offset)), None)
                for name in (
                    kind,
                    *{"male", "female"}.intersection(classes(offset)),
                    *[f"certain {kind}"] * certain,
                ):
                    weights[name] += weight
        noun = weights["noun"] or 1
        levels = [level(weights[name] / (weights["all"] if i < 4 else noun)) for i, name in enumerate(LEVELS)]
        flags = [int(weights[name] > noun / 2) for name in FLAGS]
        useful = any(levels[LEVELS.index(name)] for name in ("person", "group", "place", "vehicle"))
        if seen[word] or useful or levels[1]:
            table[word] = (*levels, *flags)
    return table


def encode(table: dict[str, tuple[int, ...]]) -> str:
    """
    The table as text. First come its distinct entries, one a line, with the most frequent one first, then an
    empty line. Then come the words in order, one a line: the number of letters that a word shares with the
    word before it, its other letters, and the index of its entry.
    """
    counts = Counter(table.values())
    entries = sorted(counts, key=lambda entry: (-counts[entry], entry))
    index = {entry: i for i, entry in enumerate(entries)}
    lines, before = [], ""
    for word in sorted(table):
        shared = len(commonprefix([word, before]))
        lines.append(f"{shared}{word[shared:]} {index[table[word]]}")
        before = word
    return "\n".join(["".join(map(str, entry)) for entry in entries] + [""] + lines)


def main() -> None:
    parser = ScriptParser(__doc__)
    parser.add_argument("dict", help="WordNet's folder dict: data.noun and index.sense are read")
    parser.add_argument("output", help="the file to write")
    arguments = parser.parse_args()
    table = read_words(Path(arguments.dict))
    data = lzma.compress(encode(table).encode(), preset=9 | lzma.PRESET_EXTREME)
    Path(arguments.output).write_bytes(data)
    print(f"{len(table)} words, {len(set(table.values()))} distinct entries, {len(data)} bytes")


if __name__ == "__main__":
    run(main)
