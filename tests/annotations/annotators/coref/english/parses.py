"""Parsed texts made by hand."""

from spacy.tokens import Doc
from spacy.vocab import Vocab

VOCAB = Vocab()


def parsed(*sentences):
    """A doc of sentences, each a text of "word/tag/relation/head" with heads from 1, or 0 for the root."""
    rows, starts, heads = [], [], []
    for sentence in sentences:
        first = len(rows)
        for number, token in enumerate(sentence.split()):
            word, tag, dep, head = token.rsplit("/", 3)
            rows.append((word, tag, dep))
            heads.append(first + (int(head) - 1 if head != "0" else number))
            starts.append(not number)
    words, tags, deps = zip(*rows) if rows else ((), (), ())
    pos = [POS.get(tag, "X") for tag in tags]
    return Doc(
        VOCAB,
        words=list(words),
        tags=list(tags),
        pos=pos,
        deps=list(deps),
        heads=heads,
        sent_starts=starts or None,
    )


POS = {
    **dict.fromkeys(("NN", "NNS"), "NOUN"),
    **dict.fromkeys(("NNP", "NNPS"), "PROPN"),
    **dict.fromkeys(("PRP", "PRP$", "WP", "WDT", "EX"), "PRON"),
    **dict.fromkeys(("VB", "VBD", "VBZ", "VBP", "VBG"), "VERB"),
    **dict.fromkeys((",", ".", "``", "''", ":"), "PUNCT"),
    "DT": "DET",
    "IN": "ADP",
    "CC": "CCONJ",
    "JJ": "ADJ",
    "RB": "ADV",
    "POS": "PART",
    "CD": "NUM",
    "MD": "AUX",
    "BE": "AUX",
}
