"""Finds the keys that a class accepts in a config, even if it passes on `**kwargs`."""

import ast
import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Optional


@dataclass
class AcceptedKeys:
    """The keys that a constructor accepts."""

    parameters: dict[str, inspect.Parameter] = field(default_factory=dict)
    """The known parameters by name."""

    closed: bool = True
    """Whether every other key is certainly an error."""


def accepted_keys(cls: type, constructor: Callable) -> AcceptedKeys:
    """The keys that a constructor of a class accepts: `__init__`, or a class method registered as a constructor."""
    accepted = AcceptedKeys()
    if constructor is object.__init__:
        return accepted
    _add(accepted, cls, constructor)
    accepted.parameters.pop("self", None)
    return accepted


def _add(accepted: AcceptedKeys, cls: type, constructor: Callable) -> None:
    rest = None
    for name, parameter in inspect.signature(constructor).parameters.items():
        if parameter.kind == parameter.VAR_KEYWORD:
            rest = name
        elif parameter.kind != parameter.VAR_POSITIONAL:
            accepted.parameters.setdefault(name, parameter)
    if rest is None:
        return
    uses = _uses(constructor, rest)
    for name in uses.names if uses else ():
        accepted.parameters.setdefault(name, inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None))
    if uses is None or uses.other or not (uses.names or uses.passed_to):
        accepted.closed = False
    # The parent's parameters count as accepted whatever happens to them, as they do in AllenNLP.
    owner = _owner(cls, constructor)
    following = cls.__mro__[cls.__mro__.index(owner) + 1 :]
    target: Any = (
        cls
        if uses and "cls" in uses.passed_to
        else next((base for base in following if "__init__" in vars(base)), object)
    )
    if target is not object:
        _add(accepted, cls, target.__init__)


@dataclass
class _Uses:
    """How a function uses its `**kwargs`."""

    names: set[str] = field(default_factory=set)

    passed_to: set[str] = field(default_factory=set)
    """The functions among `cls` and `super().__init__` to which it passes them on."""

    other: bool = False
    """Whether it does anything else with them."""


@lru_cache(maxsize=None)
def _uses(function: Callable, name: str) -> Optional[_Uses]:
    """The uses in a function's source; `None` if there is no source."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, SyntaxError, TypeError):
        return None
    uses = _Uses()
    explained: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            for keyword in node.keywords:
                if keyword.arg is None and _is_name(keyword.value, name):
                    called = ast.unparse(node.func)
                    if called == "cls" or called.startswith("super(") and called.endswith(").__init__"):
                        uses.passed_to.add(called)
                        explained.add(keyword.value)
            if isinstance(node.func, ast.Attribute) and node.func.attr in ("get", "pop") and node.args:
                _look_up(uses, explained, node.func.value, node.args[0], name)
        elif isinstance(node, ast.Subscript):
            _look_up(uses, explained, node.value, node.slice, name)
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn)):
            _look_up(uses, explained, node.comparators[0], node.left, name)
    uses.other = any(_is_name(node, name) and node not in explained for node in ast.walk(tree))
    return uses


def _look_up(uses: _Uses, explained: set[ast.AST], where: ast.AST, key: ast.AST, name: str) -> None:
    if _is_name(where, name) and isinstance(key, ast.Constant) and isinstance(key.value, str):
        uses.names.add(key.value)
        explained.add(where)


def _is_name(node: Any, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _owner(cls: type, constructor: Callable) -> type:
    """The class that defines the method. The method's name would not tell, as several classes may define it."""
    name, function = getattr(constructor, "__name__", ""), getattr(constructor, "__func__", constructor)
    methods = ((base, vars(base).get(name)) for base in cls.__mro__)
    return next((base for base, method in methods if getattr(method, "__func__", method) is function), cls)
