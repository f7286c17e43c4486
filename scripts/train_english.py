"""
Trains the English pipeline on Universal Dependencies, with spaCy and training_config/annotators/english.cfg:

    python scripts/train_english.py data/annotators output/english

The folder has EWT in `ud_ewt` and GUM in `gum`. All of EWT's training part is used, and of GUM's the genres
whose licences allow any use. A quarter of EWT's and a third of GUM's development part choose the model that
is kept. The program then adds lemmas by rules, which it takes from the training part, and writes the pipeline
with weights in float16, without strings and figures that only training needs. `load_pipeline` reads it. On
one machine, the same command gives the same bytes.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import accumulate
from pathlib import Path

import numpy as np
import spacy
from more_itertools import split_before
from spacy.cli.train import train
from spacy.language import Language
from spacy.lookups import Lookups
from spacy.tokens import Doc, DocBin, Span, Token
from spacy.vocab import Vocab

from allennlp_coref_rc.annotations.formats.conllu import Sentence, entity_spans, read_conllu_sentences
from allennlp_coref_rc.common.script import ScriptParser, run

CONFIG = Path(__file__).parents[1] / "training_config" / "annotators" / "english.cfg"

GENRES = ("academic", "bio", "court", "interview", "news", "speech", "textbook", "vlog", "voyage")
"""GUM's genres whose texts may be used for any purpose."""

# WordNet's rules of detachment, with the doubling of consonants. Of those that give no known lemma, the first
# counts.
DOUBLED = [(2 * letter + suffix, letter) for letter in "bdgklmnprtvz" for suffix in ("ed", "ing")]
BEFORE_E = "at iz is v c u ag dg rg bl tl dl pl fl".split()
FINAL_E = [(end + suffix, f"{end}e") for end in BEFORE_E for suffix in ("ed", "ing")]
REGULAR = [(suffix, end) for suffix in ("ed", "ing") for end in ("", "e")]
IES, ES = [("ies", "y")], [(f"{end}es", end) for end in ("s", "x", "z", "ch", "sh")]
FREQUENT = 2
"""Lemmas that are less frequent than this are often mistakes, and are left out."""

SUFFIXES = {
    "noun": [*IES, *ES, ("men", "man"), ("s", "")],
    "verb": [*IES, *ES, ("s", ""), ("ied", "y"), *DOUBLED, *FINAL_E, *REGULAR],
    "adj": [("ier", "y"), ("iest", "y"), ("er", ""), ("est", ""), ("er", "e"), ("est", "e")],
}


def read_docs(path: str, vocab: Vocab) -> Iterator[Doc]:
    """
    The documents of a file in Universal Dependencies as docs of spaCy, with tags, morphology, lemmas and
    dependencies. If GUM's `Entity=` is there, the entities are the mentions that are no pronouns: their
    minimal spans, or their heads if the head is not in the minimal span. Of spans that overlap, the longest
    is kept.
    """
    for sentences in split_before(read_conllu_sentences(path), lambda sentence: sentence.begins):
        yield _doc(sentences, vocab)


def _doc(sentences: list[Sentence], vocab: Vocab) -> Doc:
    starts = list(accumulate((len(sentence.words) for sentence in sentences), initial=0))
    rows = [(start, word.columns) for start, sentence in zip(starts, sentences) for word in sentence.words]
    _, words, lemmas, pos, tags, morphs, heads, deps, _, misc = map(
        list, zip(*(columns[:10] for _, columns in rows))
    )
    doc = Doc(
        vocab,
        words=[word.replace(" ", "") for word in words],
        spaces=["SpaceAfter=No" not in value for value in misc],
        lemmas=lemmas,
        pos=pos,
        tags=tags,
        morphs=[morph.removeprefix("_") for morph in morphs],
        heads=[
            start + int(head) - 1 if head != "0" else i
            for i, ((start, _), head) in enumerate(zip(rows, heads))
        ],
        deps=["ROOT" if dep == "root" else dep for dep in deps],
        sent_starts=[i in starts for i in range(len(rows))],
    )
    entities = _entities(misc, doc)
    doc.set_ents(entities, default="outside" if entities else "missing")
    return doc


def _entities(misc: list[str], doc: Doc) -> list[Span]:
    types: dict[tuple[int, int], str] = {}
    for (start, stop), (type, _, _, _, minimal, *_) in entity_spans(misc):
        head = next(t for t in doc[start:stop] if t.head == t or not start <= t.head.i < stop)
        if head.pos_ != "PRON":
            places = [start + int(number) - 1 for number in minimal.split(",")]
            first, last = places[0], places[-1]
            if not (first <= head.i <= last and len(places) == last - first + 1):
                first = last = head.i
            types.setdefault((first, last + 1), type)
    taken: set[int] = set()
    entities = []
    for (start, end), type in sorted(types.items(), key=lambda item: item[0][0] - item[0][1]):
        if taken.isdisjoint(range(start, end)):
            taken.update(range(start, end))
            entities.append(Span(doc, start, end, label=type))
    return entities


def add_lemmatizer(nlp: Language, docs: Iterable[Doc]) -> None:
    """
    Adds lemmas by suffix rules. The lemmas of the docs are the index, which says which rule is meant. Words
    for which the rules give another lemma than most of the docs' are exceptions.
    """
    lemmatizer = nlp.add_pipe("lemmatizer", config={"mode": "rule"})
    lemmas: dict[str, dict[str, Counter]] = defaultdict(lambda: defaultdict(Counter))
    examples: dict[tuple[str, str], Token] = {}
    index: dict[str, Counter] = {pos: Counter() for pos in SUFFIXES}
    for token in (token for doc in docs for token in doc):
        pos = token.pos_.lower()
        if pos in index:
            index[pos][token.lemma_.lower()] += 1
        # Lemmas of names are the names, and those of base forms the words in lower case.
        if pos != "propn" and not lemmatizer.is_base_form(token):
            lemmas[pos][token.lower_][token.lemma_] += 1
            examples[pos, token.lower_] = token
    tables = Lookups()
    # Each part of speech has a rule that leaves a word as it is, in lower case.
    tables.add_table("lemma_rules", {pos: [*SUFFIXES.get(pos, []), ("", "")] for pos in sorted(lemmas)})
    frequent = {
        pos: sorted(lemma for lemma in known if known[lemma] >= FREQUENT) for pos, known in index.items()
    }
    tables.add_table("lemma_index", frequent)
    lemmatizer.initialize(lookups=tables)
    exceptions: dict[str, dict[str, list[str]]] = {pos: {} for pos in sorted(lemmas)}
    for pos, form in sorted(examples):
        lemma = lemmas[pos][form].most_common(1)[0][0]
        if lemmatizer.rule_lemmatize(examples[pos, form])[0] != lemma:
            exceptions[pos][form] = [lemma]
    lemmatizer.cache.clear()
    tables.add_table("lemma_exc", exceptions)


def write_small(nlp: Language, folder: Path) -> None:
    """
    Writes a pipeline with weights in float16, only with strings that are labels, and without paths and
    figures.
    """
    labels = {label for name in nlp.pipe_names for label in getattr(nlp.get_pipe(name), "labels", ())}
    for _, component in nlp.components:
        model = getattr(component, "model", None)
        for node in model.walk() if model else ():
            for name in node.param_names:
                if node.has_param(name):
                    node.set_param(name, np.asarray(node.get_param(name), np.float16))
    nlp.meta["performance"] = {}
    nlp.config = nlp.config.merge({"paths": dict.fromkeys(nlp.config["paths"])})
    nlp.to_disk(folder)
    (folder / "vocab" / "strings.json").write_text(json.dumps(sorted(labels)))


def main() -> None:
    parser = ScriptParser(__doc__)
    parser.add_argument("data", type=Path, help="a folder with ud_ewt and gum")
    parser.add_argument("output", type=Path, help="a folder for the model, and for spaCy's files in training")
    arguments = parser.parse_args()
    vocab = spacy.blank("en").vocab

    def docs(pattern: str, genres: Iterable[str] = ("",)) -> list[Doc]:
        files = sorted(path for genre in genres for path in arguments.data.glob(pattern.format(genre)))
        return [doc for path in files for doc in read_docs(str(path), vocab)]

    training = docs("ud_ewt/*-train.conllu") + docs("gum/train/GUM_{}_*.conllu", GENRES)
    development = docs("ud_ewt/*-dev.conllu")[::4] + docs("gum/dev/*.conllu")[::3]
    arguments.output.mkdir(parents=True, exist_ok=True)
    paths = {}
    for name, part in (("train", training), ("dev", development)):
        paths[f"paths.{name}"] = str(arguments.output / f"{name}.spacy")
        DocBin(docs=part, store_user_data=False).to_disk(paths[f"paths.{name}"])
    train(CONFIG, arguments.output, overrides=paths)
    nlp = spacy.load(arguments.output / "model-best")
    add_lemmatizer(nlp, training)
    write_small(nlp, arguments.output / "model")


if __name__ == "__main__":
    run(main)
