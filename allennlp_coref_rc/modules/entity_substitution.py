from collections.abc import Sequence
from itertools import permutations
from typing import NamedTuple, Optional, Union

import torch
from allennlp.common import Registrable
from allennlp.data import TextFieldTensors, Vocabulary

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.data.fields import CLASS_LABELS

NAMESPACE = "tokens"
"""The namespace of the words that are exchanged."""

MAX_CLASS_NAMES = 6

Group = list[Union[str, list[str]]]


class EntitySubstitution(torch.nn.Module, Registrable):
    """
    Exchanges names at random. In each question, every name of a group is replaced by a name of the same
    group: the same name by the same one everywhere, and different names by different ones. The facts of a
    story stay, and only the names change, so a reader cannot learn stories by their names. The same words
    corefer as before. If candidates are places in the passage, the same candidate is the answer. Not in the
    papers.

    Names that are not in the training data stay as they are. A group may also have other words that can stand
    for each other, such as verbs of the same meaning. If texts have other indices than those of words, a
    `ConfigurationError` is raised: characters would give the names away.
    """

    default_implementation = "listed"

    def __init__(self, vocab: Vocabulary) -> None:
        super().__init__()
        # Its size is asked for later: fine-tuning extends the vocabulary.
        self._vocab = vocab
        self._set_groups((), ())

    def _set_groups(self, groups: Sequence[Group], class_groups: Sequence[Group]) -> None:
        self._given = groups, class_groups
        self._vocab_size = self._vocab.get_vocab_size(NAMESPACE)
        # Their tensors are on the module's device, but in no state that is saved.
        self._groups: list[str] = []
        self._class_groups: list[str] = []
        names_of_groups = list(map(_names, groups))
        names_of_class_groups = list(map(_names, class_groups))
        words = [
            word for names in names_of_groups + names_of_class_groups for forms in names for word in forms
        ]
        for word in words:
            if words.count(word) > 1:
                raise ConfigurationError(
                    f"entity_substitution: found {word!r} twice in the groups, expected every word once"
                )
        known = self._vocab.get_token_to_index_vocabulary(NAMESPACE)
        cased = [word for word in words if word != word.lower()]
        for word in cased if known.keys().isdisjoint(cased) else ():
            if word.lower() in known:
                raise ConfigurationError(
                    f"entity_substitution: found {word!r}, expected {word.lower()!r}, as in the vocabulary"
                )
        answers = self._answers()
        in_answers = {word for answer in answers for word in answer}
        for names in names_of_groups:
            names = [forms for forms in names if known.keys() - in_answers >= set(forms)]
            self._groups.append(f"group_{len(self._groups)}")
            self.register_buffer(self._groups[-1], _indices(names, known), persistent=False)
        for names in names_of_class_groups:
            # Forms after the first that no text has stand in answers alone.
            forms_of_each = range(max(map(len, names), default=0))
            in_texts = [i for i in forms_of_each if i == 0 or any(forms[i] in known for forms in names)]
            names = [forms for forms in names if all(forms[i] in known for i in in_texts)]
            if len(names) > MAX_CLASS_NAMES:
                raise ConfigurationError(
                    f"entity_substitution: found {len(names)} names in {names}, expected up to {MAX_CLASS_NAMES}"
                )
            if in_answers & {word for forms in names for word in forms}:
                orders = list(permutations(range(len(names))))
                becomes = [_substituted_answers(answers, names, order) for order in orders]
                words_of_names = _indices([[forms[i] for i in in_texts] for forms in names], known)
                group = _ClassGroup(words_of_names, torch.tensor(orders), torch.tensor(becomes).t())
                self._class_groups.append(f"class_group_{len(self._class_groups)}")
                for name, tensor in group._asdict().items():
                    self.register_buffer(f"{self._class_groups[-1]}_{name}", tensor, persistent=False)

    def _answers(self) -> list[list[str]]:
        """The words of each class."""
        # To ask for the labels by index would add an empty namespace, which AllenNLP can't save.
        classes = self._vocab.get_token_to_index_vocabulary(CLASS_LABELS)
        return [label.lower().split(",") for label in sorted(classes, key=classes.__getitem__)]

    def forward(
        self, texts: Sequence[TextFieldTensors], answer: Optional[torch.Tensor] = None
    ) -> tuple[list[TextFieldTensors], Optional[torch.Tensor]]:
        """
        Exchanges names alike in all texts of a question, and returns the texts and the answers. Answers that
        are candidates stay.

        # Parameters

        texts : `Sequence[TextFieldTensors]`
            Indices have the shape (batch_size, text_length).
        answer : `torch.LongTensor`, optional (default = `None`)
            Shape: (batch_size,). Below 0 where it is unknown.
        """
        for text in texts:
            if text.keys() != {"tokens"} or text["tokens"].keys() != {"tokens"}:
                raise ConfigurationError(
                    f"entity_substitution: found the token_indexers {', '.join(sorted(text))}, "
                    'expected one, "tokens", that gives each word an index'
                )
        tokens = [text["tokens"]["tokens"] for text in texts]
        batch_size, device = tokens[0].size(0), tokens[0].device
        if self._vocab_size != self._vocab.get_vocab_size(NAMESPACE):
            # Fine-tuning has added words, which may be names.
            self._set_groups(*self._given)
            self.to(device)
        # The new index of each word. Shape: (batch_size, vocab_size)
        becomes = torch.arange(self._vocab_size, device=device).repeat(batch_size, 1)

        def exchange(words: torch.Tensor, order: torch.Tensor) -> None:
            becomes.scatter_(1, words.flatten().expand(batch_size, -1), words[order].flatten(1))

        for words in map(self.get_buffer, self._groups):
            exchange(words, torch.rand(batch_size, len(words), device=device).argsort(dim=1))
        for group in map(self._class_group, self._class_groups):
            chance = torch.rand(batch_size, len(group.orders), device=device)
            if answer is not None:
                answers = group.answers[answer.clamp(min=0)]
                chance = chance.masked_fill((answers < 0) & (answer >= 0).unsqueeze(1), -1.0)
            drawn = chance.argmax(dim=1)
            exchange(group.words, group.orders[drawn])
            if answer is not None:
                answer = torch.where(answer < 0, answer, answers.gather(1, drawn.unsqueeze(1)).squeeze(1))
        return [{"tokens": {"tokens": becomes.gather(1, indices)}} for indices in tokens], answer

    def _class_group(self, name: str) -> "_ClassGroup":
        return _ClassGroup(*(self.get_buffer(f"{name}_{field}") for field in _ClassGroup._fields))


@EntitySubstitution.register("listed")
class ListedSubstitution(EntitySubstitution):
    """
    Exchanges words of lists. Not in the papers.

    Registered as an `EntitySubstitution` with name "listed", the default.

    # Parameters

    vocab : `Vocabulary`
    groups : `list[list[Union[str, list[str]]]]`, optional (default = `[]`)
        Names that can stand for each other, in lower case. Each is a word, or a list of its forms; all names
        of a group have the same number of forms, in the same order (`[["john", "mary"], [["cat", "cats"],
        ["mouse", "mice"]]]`). Words that are classes of answers, or parts of one such as "apple,milk", stay.
    class_groups : `list[list[Union[str, list[str]]]]`, optional (default = `[]`)
        Groups of up to 6 names that are also exchanged in answers. They are used only where classes contain
        any of the names. An exchange is not made if the new answer would not be a class. Forms after the
        first may occur in answers alone (`[["north", "n"], ["south", "s"]]`).

    # Raises

    `ConfigurationError`
        If a word is given twice, or if a group has different numbers of forms or too many names.
    """

    def __init__(
        self,
        vocab: Vocabulary,
        groups: Optional[list[Group]] = None,
        class_groups: Optional[list[Group]] = None,
    ) -> None:
        super().__init__(vocab)
        self._set_groups(groups or [], class_groups or [])


class _ClassGroup(NamedTuple):
    """
    A group whose names are also in classes: its words, their possible orders, and, for each order, the class
    that each class becomes.
    """

    words: torch.Tensor
    """Shape: (num_names, num_forms)."""
    orders: torch.Tensor
    """Shape: (num_orders, num_names). In the place of name i comes name `orders[:, i]`."""
    answers: torch.Tensor
    """Shape: (num_classes, num_orders). -1 where there is no such class."""


def _names(group: Group) -> list[list[str]]:
    names = [[name] if isinstance(name, str) else list(name) for name in group]
    if len({len(forms) for forms in names}) > 1:
        raise ConfigurationError(
            f"entity_substitution: found the group {group}, expected the same number of forms of each name"
        )
    return names


def _indices(names: list[list[str]], known: dict[str, int]) -> torch.Tensor:
    return torch.tensor([[known[word] for word in forms] for forms in names], dtype=torch.long)


def _substituted_answers(answers: list[list[str]], names: list[list[str]], order: Sequence[int]) -> list[int]:
    becomes = {word: new for forms, i in zip(names, order) for word, new in zip(forms, names[i])}
    # Of answers that differ in case alone, the first counts.
    index = {tuple(answer): i for i, answer in reversed(list(enumerate(answers)))}
    return [index.get(tuple(becomes.get(word, word) for word in answer), -1) for answer in answers]
