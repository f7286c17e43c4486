import json
import os
from copy import deepcopy
from typing import Any, TypeVar, Union

from allennlp.common import Params, Registrable
from allennlp.common.params import _environment_variables, evaluate_snippet

from allennlp_coref_rc.annotations.annotators import Annotator
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.messages import excerpt
from allennlp_coref_rc.config_check.check import check_object

T = TypeVar("T", bound=Registrable)


def option_config(option: str, value: str, base: type[Registrable]) -> dict[str, Any]:
    """
    The config of an object that an option gives: a registered name, JSON or Jsonnet, a file of these, or the
    config of an experiment, for its dataset reader or that reader's annotator.
    """
    try:
        if value.lstrip().startswith("{"):
            config = json.loads(evaluate_snippet(option, value, ext_vars=_environment_variables()))
        elif os.path.isfile(value) or value.endswith((".json", ".jsonnet")):
            config = Params.from_file(value).as_dict(quiet=True)
        else:
            config = of_name(value)
    except (RuntimeError, ValueError, OSError) as error:
        raise ConfigurationError(f"{option} {value}: {error}") from error
    if "dataset_reader" in config:
        config = config["dataset_reader"]
        if base is Annotator and isinstance(config, dict):
            config = of_name(config.get("annotator"))
    return _checked(option, config, base)


def of_name(value: Any) -> Any:
    """The config of a registered name, which may stand in its place, or an unchanged config."""
    return {"type": value} if isinstance(value, str) else value


def build_annotator(option: str, value: Union[str, dict[str, Any]]) -> Annotator:
    """The annotator that an option gives, with a value as `option_config` takes it, or a config."""
    return build(Annotator, option, value)


def build(base: type[T], option: str, value: Union[str, dict[str, Any]]) -> T:
    """The same for any class with registered names."""
    config = option_config(option, value, base) if isinstance(value, str) else value
    # AllenNLP takes values out of the config as it reads them.
    return base.from_params(Params(deepcopy(_checked(option, config, base)), f"{option.strip('-')}."))


def _checked(option: str, config: Any, base: type[Registrable]) -> dict[str, Any]:
    if not isinstance(config, dict) or not isinstance(config.get("type"), str):
        raise ConfigurationError(f"{option}: found {excerpt(config)}, expected an object with a 'type'")
    problems = check_object(base, config, option)
    if problems:
        raise ConfigurationError("; ".join(problems))
    return config
