from typing import Any, Dict

from allennlp.common.util import JsonDict

from allennlp_coref_rc.common.errors import ConfigurationError


def reader_arguments(inputs: JsonDict, *optional: str) -> Dict[str, Any]:
    """
    What an input says under "passage" and "question", texts or lists of tokens or of statements, and under other keys
    that may be there; checked, for a reader's `text_to_instance`.
    """
    if not isinstance(inputs, dict):
        raise ConfigurationError(f"found {inputs!r:.60} as input, expected an object")
    arguments = {key: inputs[key] for key in ("passage", "question", *optional) if inputs.get(key) is not None}
    for key in ("passage", "question"):
        if key not in arguments:
            raise ConfigurationError(f"found an input with the keys {sorted(inputs)}, expected the key {key!r}")
    for key, kinds in (("passage", (str, list)), ("question", (str, list)), ("candidates", (list,))):
        if not isinstance(arguments.get(key, []), kinds):
            expected = " or ".join({str: "a text", list: "a list"}[kind] for kind in kinds)
            raise ConfigurationError(f"{key}: found {arguments[key]!r}, expected {expected}")
        for part in arguments.get(key, []):
            if not isinstance(part, (str, list)):
                raise ConfigurationError(f"{key}: found {part!r:.60} in the list, expected texts")
    return arguments
