import os
from contextlib import contextmanager
from typing import Any, Iterator
from unittest.mock import patch

from allennlp_coref_rc.common.files import partial_path


@contextmanager
def whole_archives() -> Iterator[None]:
    """
    Within this, trainings write their archive under another name first. So model.tar.gz is never half an archive, even
    if the disk gets full or the process is killed.
    """
    from allennlp.commands import train

    archive = train.archive_model

    def archive_whole(serialization_dir: str, **kwargs: Any) -> str:
        path = os.path.join(serialization_dir, "model.tar.gz")
        with partial_path(path) as part:
            archive(serialization_dir, archive_path=part, **kwargs)
        return path

    with patch.object(train, "archive_model", archive_whole):
        yield
