"""Evaluations as the tests make them, in this process and as commands that can be interrupted and killed."""

import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from quantum_circuit_env.agents.spec import AgentSpec
from quantum_circuit_env.evals.configuration import Config
from quantum_circuit_env.evals.records import Episode, EpisodeKey
from quantum_circuit_env.evals.store import EPISODES, RunFolder
from support.units import FIRST, timeless

PATIENCE: Final = 60.0


def config(*agents: str, seeds: int = 3, **changes: Any) -> Config:
    """A small evaluation on the first seeds of the test split."""
    chosen = tuple(range(FIRST, FIRST + seeds))
    asked: dict[str, Any] = {"seeds": chosen, "split": "test", **changes}
    return Config(agents=tuple(map(AgentSpec.parse, agents)), **asked)


def results(run: RunFolder) -> dict[EpisodeKey, Episode]:
    """The episodes without what differs from one run to the next."""
    return {episode.key: timeless(episode) for episode in run.episodes()}


def started(out: Path, *options: str) -> subprocess.Popen[str]:
    """Start the command `evaluate`."""
    return subprocess.Popen(
        [sys.executable, "-m", "quantum_circuit_env.cli", "evaluate", "--out", str(out), *options],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for_lines(process: subprocess.Popen[str], out: Path, count: int) -> None:
    """Return when so many episodes are stored; fail when the process ends before or it takes too long."""
    deadline = time.monotonic() + PATIENCE
    while lines(out) < count:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.01)


def lines(out: Path) -> int:
    """Number of lines that are written whole."""
    path = out / EPISODES
    return path.read_bytes().count(b"\n") if path.exists() else 0


def stored(out: Path) -> Counter[EpisodeKey]:
    """How often each episode is stored."""
    text = (out / EPISODES).read_text("utf-8")
    return Counter(Episode.from_json(line).key for line in text.splitlines())


def children_of(pid: int) -> list[int]:
    """The processes that a process has started."""
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def wait_until_ended(pids: Iterable[int], patience: float = PATIENCE) -> None:
    """Return when none of the processes runs any more; fail when that takes longer, in seconds."""
    deadline = time.monotonic() + patience
    while left := list(filter(_runs, pids)):
        assert time.monotonic() < deadline, f"{left} still run"
        time.sleep(0.02)


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
