import functools
from collections.abc import Callable
from typing import Any

import wrapt


def wrapping(name: str) -> Callable[[Callable[..., Any]], Callable[[Any], None]]:
    """
    Makes a patch of a wrapper of `wrapt`, which takes the place of a module's function or method of this
    name.
    """

    def patch_of(wrapper: Callable[..., Any]) -> Callable[[Any], None]:
        @functools.wraps(wrapper)
        def patch(module: Any) -> None:
            wrapt.wrap_function_wrapper(module, name, wrapper)

        return patch

    return patch_of
