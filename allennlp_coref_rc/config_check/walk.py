"""Follows a config along the signatures of constructors, as AllenNLP's `FromParams` does."""

import collections.abc
import inspect
from collections.abc import Iterable, Mapping
from typing import Any, Optional, Union

from allennlp_coref_rc.common.checks import takes_null
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.messages import excerpt, most_similar

Problem = tuple[str, str]
"""A dotted key, and a description of the error in its value."""


GIVEN = frozenset({"serialization_dir", "local_rank", "ddp_accelerator"})
"""Arguments that AllenNLP itself gives to all constructors."""

GIVEN_LATER = {
    "model": GIVEN | {"vocab"},
    "data_loader": GIVEN | {"reader", "data_path"},
    "validation_data_loader": GIVEN | {"reader", "data_path"},
    "trainer": GIVEN | {"model", "data_loader", "validation_data_loader"},
    "vocabulary": GIVEN | {"instances"},
}
"""By key, the arguments that it gives to constructors that it calls later than others."""

HANDING_ON = ("allennlp_coref_rc.", "allennlp.training.")
"""
Packages whose constructors hand all of their `**kwargs` on to a parent's. Those of others may take any key.
"""

LOOKED_UP = ("type", "run_sanity_checks")
"""
Keys that no signature names: that of the class, and an older name of the trainer's `run_confidence_checks`.
"""

KINDS = {int: "a whole number", bool: "true or false", float: "a number", str: "a string"}

LISTS = (list, set, collections.abc.Iterable, collections.abc.Sequence)
"""The types that stand for lists. A string does not count as one, although it is a sequence of letters."""


class ConfigWalk:
    """Follows a config along signatures and collects the errors."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def object(
        self, cls: Any, value: Any, key: str, given: Optional[frozenset[str]], others: Iterable[str] = ()
    ) -> None:
        """
        Checks a value from which a class is constructed. The arguments that are `given`, if known, do not
        come from the config; `others` are keys that are used elsewhere.
        """
        from allennlp.common import Registrable

        if not _is_followed(cls):
            return
        if isinstance(value, str):
            value = {"type": value}
        if not isinstance(value, Mapping):
            self._say(key, f"found {excerpt(value)}, expected an object that describes {_a(cls)}")
            return
        constructor: Any = cls.__init__
        registered = Registrable._registry.get(cls)
        if registered is not None:
            name = value.get("type", cls.default_implementation)
            if not isinstance(name, str):
                given_type = excerpt(value["type"]) if "type" in value else "nothing"
                self._say(join(key, "type"), f"found {given_type}, expected the registered name of {_a(cls)}")
                return
            try:
                cls, constructor_name = cls.resolve_class_name(name)
            except (ConfigurationError, ImportError, TypeError, ValueError) as error:
                # AllenNLP goes on with the ways to import a class, at length.
                self._say(join(key, "type"), f"found {excerpt(name)}: {str(error).partition(' If your')[0]}")
                return
            constructor = getattr(cls, constructor_name) if constructor_name else cls.__init__
        if not _is_followed(cls):
            return
        self._arguments(cls, constructor, value, key, given, others)

    def _arguments(
        self,
        cls: type,
        constructor: Any,
        value: Mapping,
        key: str,
        given: Optional[frozenset],
        others: Iterable[str],
    ) -> None:
        from allennlp.common.from_params import remove_optional

        parameters, closed = accepted_keys(cls, constructor)
        # If the given arguments are not known, they are taken to be those without a default.
        ours = [
            name
            for name, parameter in parameters.items()
            if (parameter.default is not parameter.empty if given is None else name not in given)
        ]
        meant: set[str] = set()
        for name in value:
            if name in LOOKED_UP or name in parameters:
                continue
            similar = most_similar(name, [*ours, *others] if closed else set(ours) - set(value))
            if closed or similar:
                owner = "a config" if not key else cls.__name__
                known = f"it has {', '.join(sorted([*ours, *others])) or 'none'}"
                self._say(
                    join(key, name),
                    f"{owner} has no such key; {f'did you mean {similar[0]}?' if similar else known}",
                )
            meant.update(similar)
        for name, parameter in parameters.items():
            inner = join(key, name)
            if value.get(name) is not None:
                # Nothing is checked that comes from an archive.
                if not isinstance(value[name], Mapping) or "_pretrained" not in value[name]:
                    self.value(remove_optional(parameter.annotation), value[name], inner, given)
            elif parameter.default is parameter.empty and given is not None and name not in given | meant:
                lack = "nothing" if name not in value else "" if takes_null(parameter) else "null"
                if lack:
                    self._say(inner, f"found {lack}, but {'a config' if not key else cls.__name__} needs it")

    def value(self, annotation: Any, value: Any, key: str, given: Optional[frozenset[str]]) -> None:
        """
        Checks a value against a parameter's type annotation, in the order in which AllenNLP tries types.
        """
        from allennlp.common import Lazy
        from allennlp.common.from_params import can_construct_from_params

        origin: Any = getattr(annotation, "__origin__", None)
        args: tuple[Any, ...] = getattr(annotation, "__args__", ())
        if value is None:
            return
        if hasattr(annotation, "from_params"):
            self.object(annotation, value, key, given)
        elif annotation in KINDS:
            accepted = {int: (int, bool), bool: (int, bool), float: (int, float), str: (str,)}[annotation]
            if type(value) not in accepted:
                self._say(key, f"found {excerpt(value)}, expected {KINDS[annotation]}")
        elif origin is Lazy:
            self.value(args[0], value, key, GIVEN_LATER.get(key) if given else None)
        elif origin is Union:
            self._union(args, value, key, given)
        elif origin in (dict, collections.abc.Mapping):
            if len(args) == 2 and can_construct_from_params(args[1]):
                self._mapping(args[1], value, key, given)
        # If AllenNLP cannot construct something, it takes the value as it is.
        elif (origin is tuple or origin in LISTS and len(args) == 1) and all(
            map(can_construct_from_params, args)
        ):
            self._list(origin, args, value, key, given)

    def _mapping(self, annotation: Any, value: Any, key: str, given: Optional[frozenset[str]]) -> None:
        if not isinstance(value, Mapping):
            self._say(key, f"found {excerpt(value)}, expected an object")
            return
        for name, inner in value.items():
            self.value(annotation, inner, join(key, name), given)

    def _list(
        self, origin: Any, args: tuple[Any, ...], value: Any, key: str, given: Optional[frozenset[str]]
    ) -> None:
        if not isinstance(value, (list, tuple)):
            self._say(key, f"found {excerpt(value)}, expected a list")
            return
        for number, inner in enumerate(value):
            annotation = args[min(number, len(args) - 1)] if origin is tuple else args[0]
            self.value(annotation, inner, join(key, str(number)), given)

    def _union(self, args: tuple[Any, ...], value: Any, key: str, given: Optional[frozenset[str]]) -> None:
        attempts = []
        for annotation in args:
            attempt = ConfigWalk()
            attempt.value(annotation, value, key, given)
            if not attempt.problems:
                return
            attempts.append(attempt.problems)
        # If an error is further inside, the type around it was the one that was meant.
        for problems in attempts:
            if any(inner != key for inner, _ in problems):
                self.problems += problems
                return
        expected = [
            KINDS.get(annotation) or getattr(annotation, "__name__", str(annotation)) for annotation in args
        ]
        self._say(key, f"found {excerpt(value)}, expected {' or '.join(expected)}")

    def _say(self, key: str, text: str) -> None:
        self.problems.append((key, text))


def accepted_keys(cls: type, constructor: Any) -> tuple[dict[str, inspect.Parameter], bool]:
    """
    The parameters that a config can give to a constructor, and whether every other key is certainly an error.
    """
    from allennlp.common.from_params import infer_constructor_params

    if constructor is object.__init__:
        return {}, True
    known = infer_constructor_params(cls, constructor)
    parameters = {
        name: found for name, found in known.items() if name != "self" and found.kind != found.VAR_KEYWORD
    }
    return parameters, len(parameters) == len(known.keys() - {"self"}) or cls.__module__.startswith(
        HANDING_ON
    )


def _is_followed(cls: Any) -> bool:
    """Whether a class is constructed by AllenNLP's own `from_params`."""
    from allennlp.common import FromParams

    method = getattr(getattr(cls, "from_params", None), "__func__", None)
    # A method that wraps it follows signatures, too.
    own = vars(FromParams)["from_params"].__func__
    return method is not None and inspect.unwrap(method) is inspect.unwrap(own)


def _a(cls: type) -> str:
    return f"{'an' if cls.__name__[0] in 'AEIOU' else 'a'} {cls.__name__}"


def join(*keys: str) -> str:
    return ".".join(key for key in keys if key)
