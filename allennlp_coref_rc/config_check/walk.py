"""Follows a config along the signatures of constructors, as AllenNLP's `FromParams` does."""

import collections.abc
import inspect
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Optional, Union

from allennlp.common import FromParams, Lazy, Registrable
from allennlp.common.from_params import can_construct_from_params, infer_constructor_params, remove_optional

from allennlp_coref_rc.common.checks import takes_null
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.messages import excerpt, most_similar

Problem = tuple[str, str]
"""A dotted key, and a description of the error in its value."""

Given = Optional[frozenset[str]]
"""The arguments of constructors that do not come from the config, if they are known."""

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

SIMPLE: dict[Any, tuple[tuple[type, ...], str]] = {
    int: ((int, bool), "a whole number"),
    bool: ((int, bool), "true or false"),
    float: ((int, float), "a number"),
    str: ((str,), "a string"),
}
"""By type, the types of values that AllenNLP takes for it, and their description."""

LISTS = (list, set, collections.abc.Iterable, collections.abc.Sequence)
"""The types that stand for lists. A string does not count as one, although it is a sequence of letters."""


def walk_object(
    cls: Any, value: Any, key: str, given: Given, others: Iterable[str] = ()
) -> Iterator[Problem]:
    """The errors in a value from which a class is constructed. `others` are keys that are used elsewhere."""
    if not _is_followed(cls):
        return
    if isinstance(value, str):
        value = {"type": value}
    if not isinstance(value, Mapping):
        yield key, f"found {excerpt(value)}, expected an object that describes {_a(cls)}"
        return
    constructor_name = None
    if cls in Registrable._registry:
        name = value.get("type", cls.default_implementation)
        if not isinstance(name, str):
            found = excerpt(value["type"]) if "type" in value else "nothing"
            yield join(key, "type"), f"found {found}, expected the registered name of {_a(cls)}"
            return
        try:
            cls, constructor_name = cls.resolve_class_name(name)
        except (ConfigurationError, ImportError, TypeError, ValueError) as error:
            # AllenNLP goes on with the ways to import a class, at length.
            yield join(key, "type"), f"found {excerpt(name)}: {str(error).partition(' If your')[0]}"
            return
    if _is_followed(cls):
        yield from _arguments(cls, getattr(cls, constructor_name or "__init__"), value, key, given, others)


def _arguments(
    cls: type, constructor: Any, value: Mapping, key: str, given: Given, others: Iterable[str]
) -> Iterator[Problem]:
    parameters, closed = _accepted_keys(cls, constructor)
    owner = cls.__name__ if key else "a config"
    # If the given arguments are not known, they are taken to be those without a default.
    ours = [
        name
        for name, parameter in parameters.items()
        if (parameter.default is not parameter.empty if given is None else name not in given)
    ]
    meant: set[str] = set()
    for name in value:
        if name in parameters or name in LOOKED_UP:
            continue
        similar = most_similar(name, [*ours, *others] if closed else set(ours) - set(value))
        if closed or similar:
            known = f"it has {', '.join(sorted([*ours, *others])) or 'none'}"
            hint = f"did you mean {similar[0]}?" if similar else known
            yield join(key, name), f"{owner} has no such key; {hint}"
        meant.update(similar)
    for name, parameter in parameters.items():
        inner = value.get(name)
        # Nothing is checked that comes from an archive.
        if inner is not None and not (isinstance(inner, Mapping) and "_pretrained" in inner):
            yield from walk_value(remove_optional(parameter.annotation), inner, join(key, name), given)
        is_needed = parameter.default is parameter.empty and given is not None and name not in given | meant
        if inner is None and is_needed and not (name in value and takes_null(parameter)):
            yield join(key, name), f"found {'null' if name in value else 'nothing'}, but {owner} needs it"


def walk_value(annotation: Any, value: Any, key: str, given: Given) -> Iterator[Problem]:
    """
    The errors in a value by a parameter's type annotation, in the order in which AllenNLP tries types. If
    AllenNLP cannot construct something, it takes the value as it is.
    """
    origin: Any = getattr(annotation, "__origin__", None)
    args: tuple[Any, ...] = getattr(annotation, "__args__", ())
    if value is None:
        return
    if hasattr(annotation, "from_params"):
        yield from walk_object(annotation, value, key, given)
    elif annotation in SIMPLE:
        accepted, expected = SIMPLE[annotation]
        if type(value) not in accepted:
            yield key, f"found {excerpt(value)}, expected {expected}"
    elif origin is Lazy:
        yield from walk_value(args[0], value, key, GIVEN_LATER.get(key) if given else None)
    elif origin is Union:
        yield from _union(args, value, key, given)
    elif origin in (dict, collections.abc.Mapping):
        if len(args) == 2 and can_construct_from_params(args[1]):
            if not isinstance(value, Mapping):
                yield key, f"found {excerpt(value)}, expected an object"
                return
            for name, inner in value.items():
                yield from walk_value(args[1], inner, join(key, name), given)
    elif (origin is tuple or origin in LISTS and len(args) == 1) and all(
        map(can_construct_from_params, args)
    ):
        if not isinstance(value, (list, tuple)):
            yield key, f"found {excerpt(value)}, expected a list"
            return
        for number, inner in enumerate(value):
            yield from walk_value(args[min(number, len(args) - 1)], inner, join(key, str(number)), given)


def _union(types: tuple[Any, ...], value: Any, key: str, given: Given) -> Iterator[Problem]:
    attempts = [list(walk_value(annotation, value, key, given)) for annotation in types]
    if not all(attempts):
        return
    # If an error is further inside, the type around it was the one that was meant.
    further = [problems for problems in attempts if any(inner != key for inner, _ in problems)]
    if further:
        yield from further[0]
        return
    names = [SIMPLE[kind][1] if kind in SIMPLE else getattr(kind, "__name__", str(kind)) for kind in types]
    yield key, f"found {excerpt(value)}, expected {' or '.join(names)}"


def _accepted_keys(cls: type, constructor: Any) -> tuple[dict[str, inspect.Parameter], bool]:
    """
    The parameters that a config can give to a constructor, and whether every other key is certainly an error.
    """
    if constructor is object.__init__:
        return {}, True
    known = infer_constructor_params(cls, constructor)
    parameters = {
        name: found for name, found in known.items() if name != "self" and found.kind != found.VAR_KEYWORD
    }
    is_closed = len(parameters) == len(known.keys() - {"self"})
    return parameters, is_closed or cls.__module__.startswith(HANDING_ON)


def _is_followed(cls: Any) -> bool:
    """Whether a class is constructed by AllenNLP's own `from_params`."""
    method = getattr(getattr(cls, "from_params", None), "__func__", None)
    # A method that wraps it follows signatures, too.
    own = vars(FromParams)["from_params"].__func__
    return method is not None and inspect.unwrap(method) is inspect.unwrap(own)


def _a(cls: type) -> str:
    return f"{'an' if cls.__name__[0] in 'AEIOU' else 'a'} {cls.__name__}"


def join(*keys: str) -> str:
    return ".".join(key for key in keys if key)
