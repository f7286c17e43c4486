from collections.abc import Iterator, Sequence
from typing import Any, Optional

from allennlp.data import DatasetReader, Field, Instance, Token
from allennlp.data.fields import MetadataField, SequenceLabelField, TextField

from allennlp_coref_rc.annotations.annotated_text import Frame, Span
from allennlp_coref_rc.annotations.bio import PREDICATE, bio_tags
from allennlp_coref_rc.annotations.formats.conllu import NUM_COLUMNS, Sentence, read_conllu_sentences
from allennlp_coref_rc.common.checks import check_choice
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.data.corpora.corpus_reader import CorpusReader

TASKS = ("predicates", "roles")

UPOS, HEAD = 3, 6
"""The positions of these columns in CoNLL-U, from 0."""

EMPTY = ("_", "")

FARTHEST = 6
"""In tokens. Words at this distance from the predicate or farther count as equally far."""

NO_ROLES = frozenset({*EMPTY, PREDICATE, f"C-{PREDICATE}"})
"""Labels that are not arguments: none, the predicate, and its particle."""


@DatasetReader.register("propbank_conllu")
class PropbankConlluReader(CorpusReader):
    """
    Reads PropBank's frames from CoNLL-U files with further columns, as in Universal PropBank. The eleventh column has
    the senses of the predicates, and each predicate adds a column with the roles of the sentence's words.

    The file gives a role to the head of each argument. The argument is the head's subtree, without the subtrees of the
    predicate (a relative clause) and of the frame's other arguments. If this leaves gaps, only the stretch with the
    head counts. Punctuation at its ends is left out. So a predicate is one word, and no two arguments of a frame
    overlap.

    Instances have `tokens`, `tags` and `metadata`, as AllenNLP's taggers take them. With `task` "predicates", an
    instance is a sentence, and its predicates are tagged "B-V". With "roles", an instance is a predicate in its
    sentence, and its arguments have BIO tags. The predicate itself has no tag, since the input shows where it is, and
    finding it should not count. `single_id` indexers can read two more `feature_name`s. A token's `ent_type_` is its
    distance to the predicate: "0" is the predicate, and "-6" is six or more tokens before it. Its `lemma_` is the
    predicate's form.

    Registered as a `DatasetReader` with name "propbank_conllu". It also takes the parameters of `CorpusReader`.

    # Parameters

    task : `str`
        `"predicates"` or `"roles"`.
    roles : `list[str]`, optional (default = `None`)
        Tags only arguments with these roles. The others are counted as skipped. By default all are tagged.
    verb_indicator : `bool`, optional (default = `False`)
        Adds the field `verb_indicator` for the task "roles", which AllenNLP's model `srl` needs. That model also needs
        Perl to count spans, or `ignore_span_metric`.
    """

    suffixes = (".conllu",)

    def __init__(
        self,
        task: str,
        roles: Optional[list[str]] = None,
        verb_indicator: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        check_choice("dataset_reader", "task", task, TASKS)
        self.task = task
        self._roles = None if roles is None else frozenset(roles)
        self._verb_indicator = verb_indicator

    def read_items(self, path: str) -> Iterator[tuple[str, tuple[list[str], list[Frame]]]]:
        for sentence in read_conllu_sentences(path):
            yield sentence.document, ([word.form for word in sentence.words], frames(sentence))

    def to_instances(self, item: tuple[list[str], list[Frame]]) -> Iterator[Instance]:
        words, given = item
        if self.task == "predicates":
            yield self.text_to_instance(words, predicates=[frame.predicate[0] for frame in given])
        else:
            for frame in given:
                arguments = [
                    (role, span) for role, span in frame.arguments if self._roles is None or role in self._roles
                ]
                for role, _ in frame.arguments:
                    if self._roles is not None and role not in self._roles:
                        self.skipped[f"arguments with the role {role!r}"] += 1
                yield self.text_to_instance(words, frame.predicate[0], arguments)

    def text_to_instance(
        self,
        words: Sequence[str],
        predicate: Optional[int] = None,
        arguments: Optional[Sequence[tuple[str, Span]]] = None,
        predicates: Optional[Sequence[int]] = None,
    ) -> Instance:
        """
        The instance of the words of a sentence. For the task "roles" it needs the index of the `predicate`, and takes
        its `arguments`. For the task "predicates" it takes the indices of the `predicates`. The gold values
        (`arguments`, `predicates`) are optional.
        """
        fields: dict[str, Field] = {}
        tags: Optional[list[str]] = None
        metadata: dict[str, Any] = {"words": list(words)}
        if self.task == "predicates":
            tokens = TextField([Token(word) for word in words])
            if predicates is not None:
                tags = bio_tags(len(words), [(PREDICATE, (i, i + 1)) for i in predicates])
        elif predicate is None:
            raise ConfigurationError('found no predicate, expected the index of one for the task "roles"')
        else:
            distances = [max(-FARTHEST, min(i - predicate, FARTHEST)) for i in range(len(words))]
            tokens = TextField(
                [Token(word, ent_type_=str(i), lemma_=words[predicate]) for word, i in zip(words, distances)]
            )
            if self._verb_indicator:
                fields["verb_indicator"] = SequenceLabelField([int(i == 0) for i in distances], tokens)
            metadata.update(verb=words[predicate], verb_index=predicate)
            if arguments is not None:
                tags = bio_tags(len(words), arguments)
        fields["tokens"] = tokens
        if tags is not None:
            fields["tags"] = SequenceLabelField(tags, tokens, label_namespace="labels")
            metadata["gold_tags"] = tags
        fields["metadata"] = MetadataField(metadata)
        return Instance(fields)


def frames(sentence: Sentence) -> list[Frame]:
    """The frames of a sentence. A malformed one raises a `ConfigurationError` with the file and the line."""
    words, place = sentence.words, sentence.place
    if len(words[0].columns) <= NUM_COLUMNS:
        raise ConfigurationError(f"{place}: found {NUM_COLUMNS} columns, expected 11 or more, with predicates")
    predicates = [i for i, word in enumerate(words) if word.columns[NUM_COLUMNS] not in EMPTY]
    columns = [[word.columns[column] for word in words] for column in range(NUM_COLUMNS + 1, len(words[0].columns))]
    # A sentence without predicates may have an empty column all the same.
    if len(columns) != len(predicates) and (
        predicates or any(role not in EMPTY for column in columns for role in column)
    ):
        raise ConfigurationError(
            f"{place}: found {len(predicates)} predicates and {len(columns)} columns of roles, expected as many"
        )
    if not predicates:
        return []
    paths = _paths(sentence)
    return [Frame((i, i + 1), _arguments(sentence, paths, i, column)) for i, column in zip(predicates, columns)]


def _arguments(
    sentence: Sentence, paths: Sequence[Sequence[int]], predicate: int, column: Sequence[str]
) -> list[tuple[str, Span]]:
    roles = {i: role for i, role in enumerate(column) if role not in NO_ROLES and i != predicate}
    # Each word belongs to the nearest word on its path to the root that heads an argument or is the predicate.
    owners = [next((word for word in path if word in roles or word == predicate), None) for path in paths]
    arguments = []
    for head, role in roles.items():
        start, stop = head, head + 1
        while start > 0 and owners[start - 1] == head:
            start -= 1
        while stop < len(owners) and owners[stop] == head:
            stop += 1
        while start < head and sentence.words[start].columns[UPOS] == "PUNCT":
            start += 1
        while stop > head + 1 and sentence.words[stop - 1].columns[UPOS] == "PUNCT":
            stop -= 1
        arguments.append((role, (start, stop)))
    return arguments


def _paths(sentence: Sentence) -> list[list[int]]:
    """For each word, the path from it up to the root."""
    words, path_of = sentence.words, []
    file = sentence.place.rpartition(", line ")[0]
    parents = []
    for word in words:
        head = word.columns[HEAD]
        if not (head.isascii() and head.isdigit() and len(head) < 7 and int(head) <= len(words)):
            raise ConfigurationError(
                f"{file}, line {word.line}: found the head {head[:60]!r}, expected a number up to {len(words)}"
            )
        parents.append(int(head) - 1)
    for i, word in enumerate(words):
        path = [i]
        while parents[path[-1]] >= 0:
            path.append(parents[path[-1]])
            if len(path) > len(words):
                raise ConfigurationError(f"{file}, line {word.line}: found heads in a circle, expected a tree")
        path_of.append(path)
    return path_of
