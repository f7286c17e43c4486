"""Patches of `allennlp.common`, and of commands that read configs."""

import functools
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import wrapt

from allennlp_coref_rc.common import config_files, errors
from allennlp_coref_rc.common.checks import takes_null
from allennlp_coref_rc.common.wrapping import wrapping


@wrapping("get_tokenizer")
def drop_add_special_tokens(original: Any, _: None, args: Any, kwargs: dict[str, Any]) -> Any:
    """Drops an argument that tokenizers refuse from 4.45 on. AllenNLP repeats it wherever it tokenizes."""
    kwargs.pop("add_special_tokens", None)
    return original(*args, **kwargs)


@wrapping("get_tokenizer")
def add_prefix_space(original: Any, _: None, args: Any, kwargs: dict[str, Any]) -> Any:
    """Passes `add_prefix_space` on to tokenizers without a class of their own, such as ModernBERT's."""
    tokenizer = original(*args, **kwargs)
    splitter: Any = getattr(getattr(tokenizer, "backend_tokenizer", None), "pre_tokenizer", None)
    if kwargs.get("add_prefix_space") and hasattr(splitter, "add_prefix_space"):
        splitter.add_prefix_space = True
    return tokenizer


@wrapping("get")
def load_in_single_precision(original: Any, _: None, args: Any, kwargs: dict[str, Any]) -> Any:
    """Loads weights as float32, whatever their file has, as transformers did before release 5."""
    import transformers

    if int(transformers.__version__.partition(".")[0]) >= 5:
        kwargs.setdefault("dtype", "float32")
    return original(*args, **kwargs)


def share_configuration_error(checks: Any) -> None:
    """Uses our `ConfigurationError`, which could be imported before AllenNLP, as AllenNLP's."""
    checks.ConfigurationError = errors.ConfigurationError


def add_import_folder(params: Any) -> None:
    """
    Lets a config in any folder import the package's configs by name. Files beside the config come first.
    """
    for name in ("evaluate_file", "evaluate_snippet"):
        setattr(params, name, functools.partial(getattr(params, name), jpathdir=[str(config_files.FOLDER)]))


@wrapping("Params.from_file")
def find_named_config(original: Any, _: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """Finds a config of the package by its name, as `coref-rc` does."""
    path, *others = args or (kwargs.pop("params_file"),)
    return original(config_files.locate(str(path)), *others, **kwargs)


def use_overrides(command: Any) -> None:
    """Lets `build-vocab` and `count-instances` read the config with the overrides that they take."""

    def run(original: Any, _: None, args: Any, kwargs: dict[str, Any]) -> None:
        (arguments,) = args
        read = functools.partial(command.Params.from_file, params_overrides=arguments.overrides)
        with patch.object(command, "Params", SimpleNamespace(from_file=read)):
            original(*args, **kwargs)

    wrapt.wrap_function_wrapper(command, f"{command.__name__.rpartition('.')[2]}_from_args", run)


@wrapping("create_kwargs")
def refuse_null(original: Any, _: None, args: Any, kwargs: dict[str, Any]) -> dict[str, Any]:
    """
    Refuses null for a parameter of this package's classes that does not take it. AllenNLP would pass `None`
    on.
    """
    from allennlp.common.from_params import infer_params

    constructor, cls, params = args
    if cls.__module__.startswith("allennlp_coref_rc."):
        for name, parameter in infer_params(cls, constructor).items():
            if name in params.params and params.params[name] is None and not takes_null(parameter):
                kind = getattr(parameter.annotation, "__name__", parameter.annotation)
                raise errors.ConfigurationError(
                    f"{params.history}{name}: found null, expected a value ({kind})"
                )
    return original(*args, **kwargs)
