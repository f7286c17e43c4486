import json
import os
import re
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution
from typing import Any, Optional

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.messages import excerpt
from allennlp_coref_rc.safe_archives.registered_names import HINT

BUILT = (
    "dataset_reader",
    "validation_dataset_reader",
    "model",
    "data_loader",
    "validation_data_loader",
    "evaluation",
)
"""
The keys of what AllenNLP builds from the config of an archive. The other keys are used only in training.
"""

REQUIRED = ("dataset_reader", "model")

NAMES_A_FILE = re.compile(
    r"(.*_)?(archive|command|dir|directory|executable|file|filename|files|folder|path|paths|program|script|tarball|urls?)"
)
"""Keys whose values are names of files, folders or programs."""

ONLY_READ = ("archive", "folder", "path", "predicates", "roles")
"""
Keys of this package's classes that may name files, as these are only read: data of a reader, files of an
annotator, other archives.
"""

NO_FILES = frozenset(
    """
allow_missing batch_sampler bert_model bert_model_name bos_eos_tokens connectives copy_token default_value delimiter
end_symbol end_tokens entities exclude ignore ignore_classes language model_name no_answer_token oov_token
override_weights_strip_prefix padding_token pattern pretrained_model regexes relevant_module senses source_prefix
spacy_model start_symbol start_tokens sub_module token_delimiter transformer_model transformer_model_name type types
vocab_to_cache word_tag_delimiter
""".split()
)
"""
Keys whose texts may look like names of files and never are: no class of AllenNLP, allennlp-models or this
package opens one of them, except a transformer by its name or folder, and spaCy models, which are checked.
"""

MAPPING = "connectives"
"""The key of an object whose own keys are words, with their senses. These have dots."""

HARMLESS = frozenset(
    """
add_prefix_space add_special_tokens attention_probs_dropout_prob do_basic_tokenize do_lower_case gradient_checkpointing
hidden_dropout_prob lowercase max_length max_len model_max_length output_attentions output_hidden_states strip_accents
tokenize_chinese_chars use_cache use_fast
""".split()
)
"""
The keys that `tokenizer_kwargs` and the like may have. With others, transformers may run a model's own code,
or unpickle weights.
"""

NAME_OF_A_FILE = re.compile(r".*[/\\~!.\0].*", re.DOTALL)
"""The form of a text that may be the name of a file. `ARCHIVE!FILE` is that of a file in an archive."""

BUNDLED = "bundled://"
"""The beginning of a data path that names data that come with this package."""

SPACY_MODELS = ("language", "spacy_model")
"""
Keys whose values are spaCy models. A folder could hold code, and AllenNLP would install a missing package.
"""


def read_config(archive: str, data: bytes, trust: bool) -> dict[str, Any]:
    """
    The config of an archive, from the bytes of its config.json. Raises a `ConfigurationError` if it is not
    plain JSON, since Jsonnet could read files and the environment. Unless `trust`, it also raises one if the
    config could do more than build registered classes from what is in the archive.
    """
    try:
        config = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f"{archive}: found a config.json that is not plain JSON: {error}") from error
    if not isinstance(config, dict):
        raise ConfigurationError(
            f"{archive}: found a config.json of {type(config).__name__}, expected an object"
        )
    for name in REQUIRED:
        if not isinstance(config.get(name), (dict, str)):
            raise ConfigurationError(f"{archive}: found no {name} in its config, expected one")
    if not trust:
        for name in BUILT:
            check_object_config(
                archive, name, _built(config.get(name)) if name == "model" else config.get(name)
            )
    return config


def check_object_config(source: str, name: str, config: Any) -> None:
    """
    Raises a `ConfigurationError` if the config of an object could do more than build registered classes.
    Dotted types are left to `only_registered`. `source` is whose config it is, and `name` the key of the
    object.
    """
    for keys, key, value in _entries(config, name, name):
        problem = _problem(key, value)
        if problem:
            raise ConfigurationError(
                f"{source}: found {keys}: {excerpt(value, 100)} in its config; {problem}"
            )


def _built(model: Any) -> Any:
    """
    A model's config without what AllenNLP removes before it builds a trained model
    (`remove_keys_from_params`).
    """
    if not isinstance(model, dict):
        return model
    return {
        key: _built(value) for key, value in model.items() if key not in ("initializer", "pretrained_file")
    }


def _entries(value: Any, keys: str, key: str) -> Iterator[tuple[str, str, Any]]:
    """
    All values of a config. Before each stand the dotted keys that lead to it, and the last of these keys. An
    item of a list has the keys of the list. A dotted key, as in overrides, counts as several keys.
    """
    yield keys, key, value
    if isinstance(value, dict):
        for inner, item in value.items():
            first, dot, rest = inner.partition(".")
            if (
                key == MAPPING
                and isinstance(item, str)
                and "type" not in value
                and not NAMES_A_FILE.fullmatch(first)
            ):
                first, dot = key, ""
            yield from _entries({rest: item} if dot else item, f"{keys}.{first}", first)
    elif isinstance(value, list):
        for item in value:
            yield from _entries(item, keys, key)


def _problem(key: str, value: Any) -> Optional[str]:
    if key in ("trust_remote_code", "weights_only"):
        return f"no code may come with a model; {HINT}"
    if key.endswith("kwargs") and isinstance(value, dict) and not HARMLESS.issuperset(value):
        return f"only {', '.join(sorted(HARMLESS))} may be set there; {HINT}"
    if not _is_text(value):
        return None
    if key == "overrides" and isinstance(value, str) and value:
        return f"expected an object; text would be run as Jsonnet; {HINT}"
    if NAMES_A_FILE.fullmatch(key) and key not in ONLY_READ:
        return f"it may name no file, folder or program outside of the archive; {HINT}"
    if isinstance(value, str) and "://" in value.removeprefix(BUNDLED):
        return f"it may ask for nothing on the network; {HINT}"
    # A file in a folder may be made later, for instance by the download of another archive; so the form
    # counts too.
    may_be_file = isinstance(value, str) and (NAME_OF_A_FILE.fullmatch(value) or os.path.isfile(value))
    if may_be_file and key not in NO_FILES and key not in ONLY_READ:
        return f"it may be the name of a file, which only {', '.join(ONLY_READ)} may have; {HINT}"
    if isinstance(value, str) and key in SPACY_MODELS and not _is_installed(value):
        return f"expected a spaCy model that is installed as a package; {HINT}"
    return None


def _is_text(value: Any) -> bool:
    """
    Whether a value is a string, or a list or object that holds strings and is not the config of an object.
    """
    if isinstance(value, dict):
        return "type" not in value and any(isinstance(item, str) for item in value.values())
    return isinstance(value, str) or (
        isinstance(value, list) and any(isinstance(item, str) for item in value)
    )


def _is_installed(package: str) -> bool:
    try:
        distribution(package)
    except (PackageNotFoundError, ValueError):
        return False
    return True
