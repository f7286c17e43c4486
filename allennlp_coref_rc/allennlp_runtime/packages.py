from collections.abc import Iterable

from allennlp_coref_rc.common.errors import ConfigurationError


def import_packages(names: Iterable[str]) -> None:
    """
    Imports the packages that `--include-package` names, with all of their modules.

    # Raises

    `ConfigurationError`
        If there is no such package.
    """
    from allennlp.common.util import import_module_and_submodules

    for name in names:
        try:
            import_module_and_submodules(name)
        except ModuleNotFoundError as error:
            # A module that is missing within the package is an error of another kind.
            if error.name is None or not f"{name}.".startswith(f"{error.name}."):
                raise
            raise ConfigurationError(f"--include-package {name}: no such package") from error
