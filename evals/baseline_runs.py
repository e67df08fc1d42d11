"""Playing baselines for a comparison, in process; what was played is kept and not played again."""

import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from quantum_circuit_env.agents.interrupts import Interrupts
from quantum_circuit_env.agents.spec import AgentSpec
from quantum_circuit_env.evals.baselines import Wanted
from quantum_circuit_env.evals.configuration import Config, ExecutorName
from quantum_circuit_env.evals.counting import counted
from quantum_circuit_env.evals.evaluate import evaluate
from quantum_circuit_env.evals.records import Episode
from quantum_circuit_env.evals.revision import canonical, digest, evaluator_revision
from quantum_circuit_env.evals.store import INFO, RunFolder

WORKERS: Final = 2

_WORTH_PROCESSES: Final = 100
"""Episodes of an agent on a tier from which it pays to start worker processes."""


def executor_for(episodes: int) -> ExecutorName:
    """Return what plays so many episodes of an agent on a tier soonest; it changes no result."""
    return "process" if episodes >= _WORTH_PROCESSES else "async"


def kept_in(cache: Path, asked: Wanted) -> Path:
    """Return the folder of baselines: another one for whatever would make their results others."""
    told = digest(canonical([str(evaluator_revision(turns=asked.turns)), *asked]))
    return cache / f"{asked.tier}-{told}"


def baseline_runs(
    asked: Sequence[Wanted],
    cache: Path,
    *,
    interrupts: Interrupts | None = None,
    workers: int = WORKERS,
) -> list[RunFolder]:
    """Return the runs of baselines, one a tier; what is missing of them is played, with a progress display.

    Args:
        asked: what is wanted.
        cache: folder in which the runs are kept.
        interrupts: how signals end it.
        workers: processes; changes no result.

    Raises:
        StoreError: if the folder cannot be used.
        ExecutorError: if a worker ends; what was stored stays.
    """
    with progress_shown() as progress:
        return [_run(each, kept_in(cache, each), progress, interrupts, workers) for each in asked]


def _run(
    asked: Wanted, path: Path, progress: Progress, interrupts: Interrupts | None, workers: int
) -> RunFolder:
    there = (path / INFO).exists()
    if there and not (kept := RunFolder.open(path)).missing():
        return kept
    config = Config(
        agents=tuple(map(AgentSpec.parse, asked.agents)),
        tiers=(asked.tier,),
        seeds=asked.seeds,
        split=asked.split,
        samples=asked.samples,
        turns=asked.turns,
        executor=executor_for(len(asked.seeds) * asked.samples),
        workers=workers,
    )
    with Shown(progress, f"baselines on {asked.tier}", path) as watcher:
        return evaluate(config, path, resume=there, watcher=watcher, interrupts=interrupts)


def progress_shown() -> Progress:
    """Return a display on standard error, of which nothing stays when it is over."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


class Shown:
    """Shows how the playing of one run goes; what is no terminal is told once how much there is.

    Args:
        progress: where it is a line.
        title: what stands before it.
        out: folder of the run, of which it is said how far it is if a signal ends it.
    """

    def __init__(self, progress: Progress, title: str, out: Path) -> None:
        self._progress = progress
        self._title = title
        self._out = out
        self._task: TaskID | None = None
        self._stored = self._total = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_error: object) -> None:
        if kind is not None and issubclass(kind, SystemExit) and self._task is not None:
            done = f"{self._stored} of {counted(self._total, 'episode')} are in {self._out}"
            self._tell(f"{self._title} stopped: {done}; the same command goes on")

    def begin(self, stored: int, total: int) -> None:
        """Show how many episodes there are."""
        self._stored, self._total = stored, total
        self._task = self._progress.add_task(self._title, total=total, completed=stored)
        if total > stored and not self._progress.console.is_terminal:
            self._tell(f"{self._title}: {counted(total - stored, 'episode')} to play")

    def played(self, episode: Episode) -> None:
        """Show one more episode."""
        if self._task is not None:
            self._stored += episode.complete
            self._progress.advance(self._task)

    def _tell(self, told: str) -> None:
        self._progress.console.print(told, highlight=False, markup=False, soft_wrap=True)


@contextmanager
def handled_signals() -> Iterator[Interrupts]:
    """Let signals end what is played in an orderly way, and handle them as before afterwards."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.getsignal(number) for number in numbers}
    interrupts = Interrupts()
    interrupts.install()
    try:
        yield interrupts
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
