"""Small corpora of coreference, in the forms of OntoGUM, with GUM's dependencies, and of LitBank."""

WORDS = "Ann Lee and Bob saw her dog . They ran home .".split()
COLUMN = ["(1", "1)", "-", "-", "-", "(1)", "(3)", "-", "(2)", "-", "-", "-"]
COLUMN[0], COLUMN[3] = "(1|(2", "2)"
TREE = [
    (5, "nsubj"),
    (1, "flat"),
    (4, "cc"),
    (1, "conj"),
    (0, "root"),
    (7, "nmod:poss"),
    (5, "obj"),
    (5, "punct"),
]
TREE += [(2, "nsubj"), (0, "root"), (2, "advmod"), (2, "punct")]

ENTITIES = {
    0: "(2-person-new(1-person-new",
    1: "1)",
    3: "(4-person)2)",
    5: "(3-animal-new(1-person)",
    6: "3)",
}
ENTITIES[10] = "(5-place-new-x)"


def write(path, name, columns=COLUMN):
    """A document in CoNLL-2012's columns."""
    rows = [f"{name}\t0\t0\t{w}\t-\t-\t-\t-\t-\t-\t*\t{column}" for w, column in zip(WORDS, columns)]
    path.mkdir(parents=True, exist_ok=True)
    lines = [f"#begin document ({name}); part 0", *rows[:8], "", *rows[8:], "", "#end document", ""]
    (path / f"{name}.conll").write_text("\n".join(lines))


def write_tree(path, name):
    """The dependencies of the document in CoNLL-U."""
    rows = [
        f"{w}\t_\tX\tX\t_\t{head}\t{label}\t_\tX=Y|Entity={ENTITIES.get(k, '')}|"
        for k, (w, (head, label)) in enumerate(zip(WORDS, TREE))
    ]
    sentences = [[f"{k}\t{row}" for k, row in enumerate(part, 1)] for part in (rows[:8], rows[8:])]
    path.mkdir(parents=True, exist_ok=True)
    text = "".join("".join(f"{row}\n" for row in sentence) + "\n" for sentence in sentences)
    (path / f"{name}.conllu").write_text(text)
