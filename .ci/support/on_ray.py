"""Play on a local Ray node and compare with worker processes; kill a driver, and resume.

Run as `on_ray.py FOLDER`, an empty one; the package is installed with its extra `ray`, and tests/ is on
PYTHONPATH.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from claims import claim
from processes import descendants, listening_beyond
from quantum_circuit_env.evals.shards import SHARDS
from quantum_circuit_env.evals.store import EPISODES, RunFolder
from support.evaluations import PATIENCE, results, started, stored, wait_until_ended

AGENTS = ("--agent", "random-legal", "--agent", "best-of:k=2", "--turns", "40", "--workers", "2")
SMALL = (*AGENTS, "--seeds", "4")
LARGE = (*AGENTS, "--seeds", "60")

STARTS = 4
"""Commands that may fail because the node does not start; each tries it several times."""

LONG = 900.0
"""Seconds for a node to start and play; generous, since this is about how and not how fast."""


class NodeError(Exception):
    """Raised when no node starts on this machine."""


def main(folder: Path) -> None:
    """Try all of it; exit status 1 without a traceback where no node starts."""
    try:
        play(folder)
    except NodeError:
        sys.exit(1)


def play(folder: Path) -> None:
    """Play, kill and resume, and compare."""
    small = folder / "small"
    with claim("3 tiers x 4 seeds x 2 agents are played on a local node"):
        beyond = on_ray(small, *SMALL)
    with claim("all that the node listened on was the loopback interface"):
        assert not beyond, beyond
    with claim("the results are those of worker processes"):
        assert results(RunFolder.open(small)) == by_processes(folder / "small-process", *SMALL)
    large = folder / "large"
    with claim("a driver is killed in the middle of its run, and its node ends, too"):
        left = killed(large)
    with claim(f"it leaves {len(left)} episodes in shards that nobody has merged"):
        assert left
    with claim("resumed, the run has every episode once"):
        on_ray(large, *LARGE, "--resume")
        assert set(stored(large).values()) == {1}
        assert set(stored(large)) == set(RunFolder.open(large).info.keys())
    with claim("what was in shards is merged and not played again"):
        assert left <= lines(large / EPISODES)
        assert not (large / SHARDS).exists()
    with claim("and the results are those of worker processes"):
        assert results(RunFolder.open(large)) == by_processes(folder / "large-process", *LARGE)


def by_processes(out: Path, *options: str) -> object:
    """Return the results of worker processes."""
    process = started(out, *options, "--executor", "process")
    _, errors = process.communicate(timeout=LONG)
    assert process.returncode == 0, errors
    return results(RunFolder.open(out))


def on_ray(out: Path, *options: str) -> set[str]:
    """Play a run on a node to its end and return the addresses beyond loopback on which it listened."""
    beyond: set[str] = set()
    process, seen = driven(out, *options, until=lambda _: False, beyond=beyond)
    _, errors = process.communicate(timeout=LONG)
    assert process.returncode == 0, errors
    wait_until_ended(seen)
    return beyond


def killed(out: Path) -> set[str]:
    """Kill a driver while its workers play, and return the lines that they leave in shards."""
    process, seen = driven(out, *LARGE, until=lambda _: bool(lines(out / EPISODES)), beyond=set())
    # It does not merge any more; what the workers have been given they play.
    process.send_signal(signal.SIGSTOP)
    deadline = time.monotonic() + PATIENCE
    while not (left := in_shards(out)) and time.monotonic() < deadline:
        time.sleep(0.1)
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    # The node's two agents first try for a minute to tell the node that it has ended.
    wait_until_ended(seen, LONG)
    return in_shards(out) or left


def driven(
    out: Path, *options: str, until: Callable[[object], bool], beyond: set[str]
) -> tuple[subprocess.Popen[str], set[int]]:
    """Start a driver, again where its node does not start, and watch it until it ends or something is true.

    Returns the driver and all processes below it that were seen.

    Raises:
        NodeError: if its node does not start, however often it is tried.
    """
    for _ in range(STARTS):
        resume = ["--resume"] if (out / EPISODES).exists() and "--resume" not in options else []
        process, seen = started(out, *options, *resume, "--executor", "ray"), set[int]()
        deadline = time.monotonic() + LONG
        while process.poll() is None and not until(None):
            assert time.monotonic() < deadline, f"no end within {LONG} s"
            below = descendants(process.pid)
            seen |= below
            beyond |= listening_beyond(below)
            time.sleep(0.5)
        if process.returncode not in (2, -signal.SIGABRT):
            return process, seen
        errors = process.communicate()[1]
        assert process.returncode != 2 or "Ray does not start" in errors, errors
        wait_until_ended(seen)
    busy = f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    last = (errors.splitlines() or ["nothing was said"])[-1]
    raise NodeError(f"no node starts, {STARTS} commands tried it: {last} ({busy})")


def in_shards(out: Path) -> set[str]:
    """Return the lines of the shards that lie in a run's folder."""
    return {line for path in (out / SHARDS).glob("*.jsonl") for line in lines(path)}


def lines(path: Path) -> set[str]:
    """Return the whole lines of a file."""
    return set(path.read_text("utf-8").split("\n")[:-1]) if path.exists() else set()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
