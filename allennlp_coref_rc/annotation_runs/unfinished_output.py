import json
import os
import re
import shutil
from contextlib import suppress
from itertools import islice
from typing import Any

from filelock import FileLock, Timeout

from allennlp_coref_rc.annotation_runs.job import ChunkResult
from allennlp_coref_rc.annotations.document import header_line, json_line
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.files import (
    atomic_write,
    check_writable,
    destination,
    is_in_place,
    open_text,
    write_text,
)
from allennlp_coref_rc.common.json_objects import read_json_object

PART = re.compile(r"\d{6,}\.jsonl")


class UnfinishedOutput:
    """
    The folder OUTPUT.unfinished, in which a run keeps finished chunks until all are done. It holds a plan,
    which says what the run does to which input, and a file for each finished chunk. Use it in a `with`
    statement, which only one process at a time can enter. In the end the folder is removed if it has no
    finished chunk.

    If the output exists, entering raises a `ConfigurationError`, unless `force` makes it start over or a run
    was killed just after it wrote the file.
    """

    def __init__(self, output: str, force: bool = False) -> None:
        self.output = destination(output)
        self.failed_output = destination(f"{output}.failed.jsonl")
        self.folder = f"{self.output}.unfinished"
        self._plan = os.path.join(self.folder, "plan.json")
        self._lock = FileLock(os.path.join(self.folder, "lock"))
        self._force = force
        for path in (self.output, self.failed_output):
            check_writable(path)
            if is_in_place(path):
                raise ConfigurationError(
                    f"{path}: found a device or a pipe, expected a file, which can be replaced"
                )

    def __enter__(self) -> "UnfinishedOutput":
        os.makedirs(self.folder, exist_ok=True)
        try:
            self._lock.acquire(timeout=0)
        except Timeout as error:
            raise ConfigurationError(f"{self.folder}: another process is using it") from error
        if self._force:
            self._clear()
        elif os.path.exists(self.output) and not os.path.exists(self._plan):
            self._release(remove=True)
            raise ConfigurationError(f"{self.output} is there already; --force replaces it")
        return self

    def __exit__(self, *error: Any) -> None:
        self._release(remove=not self._numbers())

    def check(self, plan: dict[str, Any]) -> None:
        """Raises a `ConfigurationError` if the finished chunks belong to a run with another plan."""
        if not self._numbers() or not os.path.exists(self._plan):
            return
        begun: dict[str, Any] = {}
        with suppress(ConfigurationError):
            begun = read_json_object(self._plan)
        differences = [
            f"\n  {key}: found {json.dumps(begun.get(key))}, expected {json.dumps(value)}"
            for key, value in plan.items()
            if begun.get(key) != value
        ]
        if differences:
            raise ConfigurationError(
                f"{self.folder} holds the beginning of another run:{''.join(differences)}\n"
                "Finish that one with the arguments it had, or start over with --force."
            )

    def begin(self, plan: dict[str, Any]) -> None:
        """Starts a run with this plan, or resumes it."""
        self.check(plan)
        if not self._numbers() or not os.path.exists(self._plan):
            self._clear()
            write_text(self._plan, json.dumps(plan, indent=2) + "\n")

    def write(self, number: int, result: ChunkResult) -> None:
        with atomic_write(self._path(number)) as file:
            sizes = {"documents": len(result.documents), "failed": len(result.failed)}
            file.write(json_line({**sizes, "counts": dict(result.counts)}))
            file.writelines(result.documents + result.failed)

    def finished(self) -> dict[int, dict[str, Any]]:
        """
        By the index of each finished chunk, the numbers of its annotated and failed documents, and its
        counts.
        """
        summaries = {}
        for number in self._numbers():
            with open_text(self._path(number)) as lines:
                try:
                    summary = json.loads(next(lines, ""))
                    if sum(1 for _ in lines) == summary["documents"] + summary["failed"]:
                        summaries[number] = summary
                except (ConfigurationError, ValueError, TypeError, KeyError):
                    # The file is damaged, so the chunk will be done again.
                    continue
        return summaries

    def join(self, header: dict[str, Any], failed_header: dict[str, Any]) -> None:
        """
        Joins all chunks into a file of annotated documents and one of failed ones, and empties the folder.
        """
        summaries = self.finished()
        sizes = {key: sum(summary[key] for summary in summaries.values()) for key in ("documents", "failed")}
        for key, path, values in (
            ("failed", self.failed_output, failed_header),
            ("documents", self.output, header),
        ):
            if sizes[key]:
                joined = os.path.join(self.folder, os.path.basename(path))
                with atomic_write(joined) as file:
                    file.write(header_line(sizes[key], values))
                    for number, summary in sorted(summaries.items()):
                        skipped = 1 if key == "documents" else 1 + summary["documents"]
                        with open_text(self._path(number)) as lines:
                            file.writelines(islice(lines, skipped, skipped + summary[key]))
                os.replace(joined, path)
            elif os.path.exists(path):
                os.unlink(path)
        self._clear()

    def _path(self, number: int) -> str:
        return os.path.join(self.folder, f"{number:06}.jsonl")

    def _numbers(self) -> list[int]:
        return sorted(int(name.split(".")[0]) for name in os.listdir(self.folder) if PART.fullmatch(name))

    def _clear(self) -> None:
        # The plan is removed first, since the other files are ignored without it.
        for name in sorted(os.listdir(self.folder), key=lambda name: name != "plan.json"):
            if name != "lock":
                os.unlink(os.path.join(self.folder, name))

    def _release(self, remove: bool) -> None:
        self._lock.release()
        if remove:
            shutil.rmtree(self.folder, ignore_errors=True)
