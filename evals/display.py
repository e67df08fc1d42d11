"""The progress of a run on the terminal."""

from pathlib import Path
from typing import Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from quantum_circuit_env.evals.records import Episode


class ProgressDisplay:
    """The progress of a run on standard error; says how to go on with one that is broken off.

    Args:
        out: folder of the run.
    """

    def __init__(self, out: Path) -> None:
        self._out = out
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
        )
        self._task: TaskID | None = None
        self._total = self._stored = self._incomplete = 0

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_error: object) -> None:
        self._progress.stop()
        if kind is not None and self._task is not None:
            self._tell_stopped()

    def begin(self, stored: int, total: int) -> None:
        """Show how many episodes there are."""
        self._stored, self._total = stored, total
        self._task = self._progress.add_task("episodes", total=total, completed=stored)

    def played(self, episode: Episode) -> None:
        """Show one more episode."""
        if self._task is None:
            return
        self._stored += episode.complete
        self._incomplete += not episode.complete
        text = f"episodes ({self._incomplete} incomplete)" if self._incomplete else "episodes"
        self._progress.update(self._task, advance=1, description=text)

    def _tell_stopped(self) -> None:
        self._progress.console.print(
            f"stopped: {self._stored} of {self._total} episodes are in {self._out}; "
            "the same command with --resume goes on",
            highlight=False,
            markup=False,
            soft_wrap=True,
        )
