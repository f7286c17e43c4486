"""
Scores an annotator on corpora, and prints a table in Markdown, in percent:

    python scripts/evaluate_annotator.py structure data/annotators/ontogum/dev data/annotators/gap

A corpus is a file or a folder. Its files tell what is scored. All annotators get tokens and sentences,
nothing else.

`*conll*`, CoNLL-2012's columns with clusters (LitBank, OntoGUM): precision, recall and F1 of MUC, B-cubed and
CEAF (entities) over all documents together, and their average, the CoNLL score. If the corpus has singletons,
they are counted in three ways. "without" leaves them out of the annotated clusters. "kept" leaves them as
annotated and uses AllenNLP's scorer, which counts them in CEAF's recall but gives no credit for finding them.
"credited" counts them like other clusters, as CoNLL's scorer does. Links of names, nominals and pronouns
follow: a link goes from a mention to the nearest mention before it in its cluster. It is right if both are
mentions of the same annotated cluster. Recall is the number of right links divided by the number of annotated
mentions that have an earlier one.

`*.tsv`, GAP: F1 of the pairs of the pronoun and a name, overall and for masculine and feminine pronouns, and
the bias, feminine F1 divided by masculine F1. A pair is predicted if a cluster has the pronoun and a mention
of the name. That is a mention with the name's tokens; or one that ends with the name and begins before it
("Mr Lee" for "Lee"); or one that the name begins or ends with ("Lee" for "Ann Lee"). After the name, the
mention may have a possessive mark, or more words after a comma, bracket, dash or "who" ("Lee, who left").
Tokens are compared, which are those that have any of the name's characters.

`*conll*` with PropBank's frames (propbank_ewt): predicates, by their first token, and arguments by
CoNLL-2005's rule. An argument is right if its predicate, its role and all its tokens are; C-ARG1 and the like
continue an argument, and the verb itself (V) does not count.

`*.rels`, DISRPT's discourse relations (GDTB, TED-MDB): explicit connectives, where sharing one token is
enough; the senses of those that were found, and implicit relations with their sense and any token of both
arguments. Senses are the fifteen of CoNLL-2016, and relations with others are not counted. If a `.conllu`
file beside a `.rels` file marks connectives, those are the annotated ones. If not, they are where
`discourse_corpora.py` finds them, and relations for which it finds none count as missed.

`*.conllu`, Universal Dependencies: the English pipeline, or `--pipeline`, by spaCy's scorer, with the
sentences given and with its own. Entities are GUM's, as in `train_english.py`.
"""

import os
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Optional

import spacy.scorer
from spacy.tokens import Doc
from spacy.training import Example
from tqdm import tqdm
from train_english import read_docs

from allennlp_coref_rc.annotation_runs.config_option import build_annotator
from allennlp_coref_rc.annotations import AnnotatedText
from allennlp_coref_rc.annotations.annotated_text import Cluster, DiscourseRelation, Span
from allennlp_coref_rc.annotations.annotators.annotator import annotate_texts
from allennlp_coref_rc.annotations.annotators.lexicon import CONJUNCTIONS, PREPOSITIONS, PRONOUNS
from allennlp_coref_rc.annotations.english import MODEL, load_pipeline
from allennlp_coref_rc.annotations.formats import Format, read_conll_2012, read_conllu, read_gap
from allennlp_coref_rc.annotations.formats.conllu import read_conllu_sentences
from allennlp_coref_rc.annotations.layers import LAYERS
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.script import ScriptParser, run
from allennlp_coref_rc.data.corpora.discourse_corpora import FOLDS, in_fold, read_rels_texts
from allennlp_coref_rc.models.structure._coreference_scores import conll_scores, score_gap
from allennlp_coref_rc.models.structure.scores import (
    Pairs,
    Scores,
    prf,
    score_arguments,
    score_connectives,
    score_frames,
    score_senses,
)

KINDS = {".rels": read_rels_texts, ".conllu": read_conllu, ".tsv": read_gap, "conll": read_conll_2012}
"""
What files have in their names, and the functions that read them; the first that fits a corpus is its kind.
"""


def kind_of_mention(tokens: Sequence[str], span: Span) -> str:
    """
    "name", "nominal" or "pronoun". In a name, the first part ends with a capitalised word. Its end is before
    a comma, a preposition, "who" and the like.
    """
    words = [token.lower() for token in tokens[slice(*span)]]
    if words[0] in PRONOUNS and len(words) == 1:
        return "pronoun"
    ends = (
        i
        for i, word in enumerate(words)
        if i and (word in PREPOSITIONS | CONJUNCTIONS or not word[:1].isalnum())
    )
    last = next((i for i in ends if words[i] != "'s"), len(words)) - 1
    token = tokens[span[0] + last]
    return "name" if token[:1].isupper() else "nominal"


def link_scores(
    texts: Iterable[tuple[Sequence[str], Sequence[Cluster], Sequence[Cluster]]],
) -> dict[str, Scores]:
    """By the kind of the later mention, the scores of links, for (tokens, predicted, annotated clusters)."""
    right, links, annotated = Counter[str](), Counter[str](), Counter[str]()
    for tokens, predicted, gold in texts:
        number = {mention: i for i, cluster in enumerate(gold) for mention in cluster}
        annotated.update(
            kind_of_mention(tokens, mention) for cluster in gold for mention in sorted(cluster)[1:]
        )
        for cluster in map(sorted, predicted):
            for before, mention in zip(cluster, cluster[1:]):
                kind = kind_of_mention(tokens, mention)
                links[kind] += 1
                right[kind] += mention in number and number.get(before) == number[mention]
    return {kind: prf(right[kind], links[kind], annotated[kind]) for kind in ("name", "nominal", "pronoun")}


def score_clusters(pairs: Pairs) -> Iterator[tuple[str, Scores]]:
    clusters = [(predicted.clusters, gold.clusters) for predicted, gold in pairs]
    has_singletons = any(len(cluster) == 1 for _, gold in clusters for cluster in gold)
    for singletons in ("without", "kept", "credited") if has_singletons else ("without",):
        for name, scores in conll_scores(clusters, singletons).items():
            yield f"{name}, singletons {singletons}", scores
    texts = ((gold.tokens, predicted.clusters, gold.clusters) for predicted, gold in pairs)
    for kind, scores in link_scores(texts).items():
        yield f"links of {kind}s", scores


def score_columns(pairs: Pairs) -> Iterator[tuple[str, Scores]]:
    for name, score in (("clusters", score_clusters), ("frames", score_frames)):
        if any(getattr(gold, name) for _, gold in pairs):
            yield from score(pairs)


def marked_connectives(path: str) -> Iterator[AnnotatedText]:
    """
    The documents of a `.conllu` file of DISRPT, with a relation without arguments for each marked connective.
    """
    documents: dict[str, AnnotatedText] = {}
    for sentence in read_conllu_sentences(path):
        text = documents.setdefault(sentence.document, AnnotatedText([], id=sentence.document))
        text.sentences.append((len(text), len(text) + len(sentence.words)))
        for word in sentence.words:
            segment, place = word.columns[9].split("|"), len(text)
            if "Seg=B-Conn" in segment:
                text.relations.append(DiscourseRelation("Explicit", "", [], [], [(place, place + 1)]))
            elif "Seg=I-Conn" in segment and text.relations:
                text.relations[-1].connective.append((place, place + 1))
            text.tokens.append(word.form)
    yield from documents.values()


def score_parses(files: Sequence[str], spacy_model: Optional[str]) -> Iterator[tuple[str, Scores]]:
    nlp = load_pipeline(spacy_model or MODEL)
    golds = [doc for file in files for doc in read_docs(file, nlp.vocab)]
    names = {
        "tag_acc": "tags",
        "pos_acc": "parts of speech",
        "morph_acc": "morphology",
        "lemma_acc": "lemmas",
    }
    names |= {"dep_uas": "UAS", "dep_las": "LAS", "ents_": "entities", "sents_": "sentences"}
    for sentences in ("given", "found"):
        starts = ([t.is_sent_start for t in doc] if sentences == "given" else None for doc in golds)
        bare = (Doc(nlp.vocab, [t.text for t in doc], sent_starts=known) for doc, known in zip(golds, starts))
        scores = spacy.scorer.Scorer(nlp).score(
            [Example(doc, gold) for doc, gold in zip(nlp.pipe(bare), golds)]
        )
        for key, name in names.items():
            values = [scores.get(key + letter) for letter in ("prf" if key.endswith("_") else [""])]
            if None not in values and (key, sentences) != ("sents_", "given"):
                yield f"{name}, sentences {sentences}", tuple(values)


RELATIONS = (read_rels_texts, marked_connectives)


def main() -> None:
    parser = ScriptParser(__doc__)
    parser.add_argument("annotator", help="its name, or its config as JSON or in a file")
    parser.add_argument("corpora", nargs="+", help="files or folders")
    parser.add_argument("--part", choices=["even", "odd"], help="every other document only")
    parser.add_argument("--fold", choices=FOLDS, help="the documents of a fold, as `in_fold` divides them")
    parser.add_argument("--documents", help="a folder: of *.rels, only documents that it has too")
    parser.add_argument("--measures", default="", help="a regular expression: the measures to print")
    parser.add_argument(
        "--pipeline", help="for Universal Dependencies, a spaCy pipeline in place of the English one"
    )
    options = parser.parse_args()
    annotator = build_annotator("annotator", options.annotator)
    names = options.documents and {os.path.splitext(name)[0] for name in os.listdir(options.documents)}
    speeds: list[str] = []

    def pairs(read: Callable[[str], Iterator[AnnotatedText]], files: Sequence[str]) -> Pairs:
        """The texts of files with the annotator's annotations and with their own."""
        golds = [text for file in files for text in read(file)][
            options.part == "odd" :: 2 if options.part else 1
        ]
        golds = [text for text in golds if options.fold is None or in_fold(str(text.id), options.fold)]
        golds = [text for text in golds if names is None or read not in RELATIONS or text.id in names]
        if not golds:
            parser.error(f"found no text in {files[0]} and {len(files) - 1} more, expected some")
        bare = [replace(text, **{layer: [] for layer in LAYERS}) for text in golds]
        start = time.process_time()
        batches = (
            annotate_texts(bare[i : i + 8], annotator) for i in tqdm(range(0, len(bare), 8), unit="8 texts")
        )
        annotated, seconds = list(chain.from_iterable(batches)), time.process_time() - start
        tokens = sum(map(len, golds))
        speed = f"{tokens / seconds:,.0f} tokens a second of processor time"
        speeds.append(f"{files[0]} and {len(files) - 1} more: {len(golds)} texts, {tokens} tokens, {speed}")
        return list(zip(annotated, golds))

    def score(corpus: str) -> Iterator[tuple[str, Scores]]:
        names = os.listdir(corpus) if os.path.isdir(corpus) else [corpus]
        kind = next((kind for kind in KINDS if any(kind in os.path.basename(name) for name in names)), None)
        if kind is None:
            raise ConfigurationError(f"{corpus}: found no file with one of {', '.join(KINDS)} in its name")
        read = KINDS[kind]
        files = Format(read, f"*{kind}*").list_files(corpus)
        if kind == ".conllu":
            yield from score_parses(files, options.pipeline)
        elif kind == ".rels":
            beside = [path for file in files if os.path.exists(path := file.removesuffix("rels") + "conllu")]
            annotated = pairs(read, files)
            yield from score_connectives(pairs(marked_connectives, beside) if beside else annotated)
            yield from score_senses(annotated)
            yield from score_arguments(annotated)
        else:
            yield from (score_gap if kind == ".tsv" else score_columns)(pairs(read, files))

    print("| corpus | measure | precision | recall | F1 |\n|---|---|---|---|---|")
    for corpus in options.corpora:
        for name, scores in score(corpus):
            if re.search(options.measures, name):
                figures = [f"{score:.2f}" if name == "GAP bias" else f"{100 * score:.1f}" for score in scores]
                print(f"| {corpus} | {name} | {' | '.join(['', '', *figures][-3:])} |")
    print("", *speeds, sep="\n")


if __name__ == "__main__":
    run(main)
