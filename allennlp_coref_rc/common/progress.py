from collections.abc import Iterable
from typing import Any, Optional

from tqdm import tqdm


def progress_bar(items: Optional[Iterable] = None, **settings: Any) -> Any:
    """A `tqdm` progress bar that is shown only in a terminal, and goes away when it is done."""
    return tqdm(items, leave=False, disable=None, **settings)
