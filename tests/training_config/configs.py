"""Experiments made small: their data is the fixtures', their numbers are tiny, everything else is as it stands."""

import json
from pathlib import Path
from typing import Any, Dict, List, Optional

from allennlp.common import Params

from tests.shared import PROJECT

FIXTURES = PROJECT / "tests" / "fixtures" / "babi"


def configs() -> List[Path]:
    return sorted((PROJECT / "training_config").glob("*/*.jsonnet"))


def overrides(task: int, more: Optional[Dict[str, Any]] = None) -> str:
    values = {"dataset_reader.folder": str(FIXTURES), "dataset_reader.task": task, "trainer.num_epochs": 1}
    return json.dumps({**values, **(more or {})})


def load(config: Path, task: int, more: Optional[Dict[str, Any]] = None) -> Params:
    return Params.from_file(str(config), params_overrides=overrides(task, more))
