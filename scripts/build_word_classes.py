"""
Makes the table of word classes that `coref` reads from WordNet's database files, which are in its folder dict.

    python scripts/build_word_classes.py wordnet/dict words.xz

Each single word gets levels from 0 to 3. They say how often it is a noun, verb, adjective and adverb, and how often the
noun names a person, group, place, vehicle, animal, body part, other artifact or time. Further entries say whether it
names men, women, or a certain place or person. WordNet counts how often each sense occurs in tagged texts. A sense that
never occurs there counts a little, and less the further down WordNet lists it.
"""

import lzma
from collections import defaultdict
from pathlib import Path

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

FILES = {"05": "animal", "08": "body", "15": "place", "28": "time"}
"""By the number of a file of WordNet's lexicographers, the class of all its synsets."""

CLASSES = ("person", "group", "place", "vehicle", "animal", "body", "artifact", "time")
LEVELS = ("noun", "verb", "adjective", "adverb", *CLASSES)
FLAGS = ("male", "female", "certain place", "certain person")


def read_nouns(path: Path) -> dict[str, tuple[set[str], bool, list[str]]]:
    """For each synset of nouns, its classes, whether it is an instance, and its words as they are written."""
    parents: dict[str, list[str]] = {}
    own: dict[str, set[str]] = defaultdict(set)
    instances: set[str] = set()
    words: dict[str, list[str]] = {}
    for line in path.open(encoding="utf-8"):
        if line.startswith(" "):
            continue
        fields = line.split(" | ")[0].split()
        offset, file, count = fields[0], fields[1], int(fields[3], 16)
        words[offset] = fields[4 : 4 + 2 * count : 2]
        pointers = fields[5 + 2 * count :]
        parents[offset] = [
            pointers[i + 1] for i, symbol in enumerate(pointers) if symbol in ("@", "@i") and pointers[i + 2] == "n"
        ]
        if "@i" in pointers:
            instances.add(offset)
        if file in FILES:
            own[offset].add(FILES[file])
        if file == "06":
            own[offset].add("artifact")
        if file in ROOT_FILES:
            own[offset].update(name for root, name in ROOTS.items() if tuple(words[offset][: len(root)]) == root)
    closure: dict[str, set[str]] = {}

    def classes(offset: str) -> set[str]:
        if offset not in closure:
            closure[offset] = set(own[offset])
            for parent in parents[offset]:
                closure[offset] |= classes(parent)
        return closure[offset]

    return {offset: (classes(offset), offset in instances, words[offset]) for offset in parents}


def level(share: float) -> int:
    return sum(share > threshold for threshold in (0.02, 0.25, 0.7))


def read_words(folder: Path) -> dict[str, tuple[int, ...]]:
    nouns = read_nouns(folder / "data.noun")
    senses: dict[str, list[tuple[str, str, float]]] = defaultdict(list)
    seen: dict[str, int] = defaultdict(int)
    for line in (folder / "index.sense").open(encoding="utf-8"):
        key, offset, rank, count = line.split()
        word, pos = key.split("%")[0], POS[key.split("%")[1][0]]
        if "_" not in word and word.replace("-", "").replace("'", "").isalpha():
            senses[word].append((pos, offset, int(count) + 0.5 / int(rank)))
            seen[word] += int(count)
    table: dict[str, tuple[int, ...]] = {}
    for word, entries in senses.items():
        weights: dict[str, float] = defaultdict(float)
        for pos, offset, weight in entries:
            weights["all"] += weight
            weights[pos] += weight
            if pos == "noun":
                classes, is_instance, names = nouns[offset]
                certain = is_instance and any(name[0].isupper() for name in names)
                kind = next((name for name in CLASSES if name in classes), None)
                if kind:
                    weights[kind] += weight
                for gender in ("male", "female"):
                    weights[gender] += weight * (gender in classes)
                weights[f"certain {kind}"] += weight * certain
        noun = weights["noun"] or 1
        levels = [level(weights[name] / (weights["all"] if i < 4 else noun)) for i, name in enumerate(LEVELS)]
        flags = [int(weights[name] > noun / 2) for name in FLAGS]
        useful = any(levels[LEVELS.index(name)] for name in ("person", "group", "place", "vehicle"))
        if seen[word] or useful or levels[1]:
            table[word] = (*levels, *flags)
    return table


def encode(table: dict[str, tuple[int, ...]]) -> str:
    """
    The table as text. First come its distinct entries, one a line, with the most frequent one first, then an empty
    line. Then come the words in order, one a line: the number of letters that a word shares with the word before it,
    its other letters, and the index of its entry.
    """
    counts: dict[tuple[int, ...], int] = defaultdict(int)
    for entry in table.values():
        counts[entry] += 1
    entries = sorted(counts, key=lambda entry: (-counts[entry], entry))
    index = {entry: i for i, entry in enumerate(entries)}
    lines, before = [], ""
    for word in sorted(table):
        shared = next((i for i, (a, b) in enumerate(zip(word, before)) if a != b), min(len(word), len(before)))
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
