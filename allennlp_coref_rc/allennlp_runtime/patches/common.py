"""Patches of `allennlp.common`."""

import functools
from typing import Any

import wrapt

from allennlp_coref_rc.common import config_files, errors


def drop_add_special_tokens(cached_transformers: Any) -> None:
    """Drops an argument that tokenizers refuse from 4.45 on. AllenNLP repeats it wherever it tokenizes."""

    def get_tokenizer(original: Any, instance: None, args: Any, kwargs: dict[str, Any]) -> Any:
        kwargs.pop("add_special_tokens", None)
        return original(*args, **kwargs)

    wrapt.wrap_function_wrapper(cached_transformers, "get_tokenizer", get_tokenizer)


def add_prefix_space(cached_transformers: Any) -> None:
    """Passes `add_prefix_space` on to tokenizers without a class of their own, such as ModernBERT's."""

    def get_tokenizer(original: Any, instance: None, args: Any, kwargs: dict[str, Any]) -> Any:
        tokenizer = original(*args, **kwargs)
        splitter = getattr(getattr(tokenizer, "backend_tokenizer", None), "pre_tokenizer", None)
        if kwargs.get("add_prefix_space") and hasattr(splitter, "add_prefix_space"):
            splitter.add_prefix_space = True
        return tokenizer

    wrapt.wrap_function_wrapper(cached_transformers, "get_tokenizer", get_tokenizer)


def load_in_single_precision(cached_transformers: Any) -> None:
    """Loads weights as float32, whatever their file has, as transformers did before release 5."""

    def get(original: Any, instance: None, args: Any, kwargs: dict[str, Any]) -> Any:
        if int(cached_transformers.transformers.__version__.partition(".")[0]) >= 5:
            kwargs.setdefault("dtype", "float32")
        return original(*args, **kwargs)

    wrapt.wrap_function_wrapper(cached_transformers, "get", get)


def share_configuration_error(checks: Any) -> None:
    """Uses our `ConfigurationError`, which could be imported before AllenNLP, as AllenNLP's."""
    checks.ConfigurationError = errors.ConfigurationError


def add_import_folder(params: Any) -> None:
    """Lets a config in any folder import the package's configs by name. Files beside the config come first."""
    for name in ("evaluate_file", "evaluate_snippet"):
        setattr(params, name, functools.partial(getattr(params, name), jpathdir=[str(config_files.FOLDER)]))
