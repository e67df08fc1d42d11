"""The command `evaluate`, interrupted and killed: what is written stays, and resuming completes the run."""

import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from quantum_circuit_env.evals.evaluate import evaluate
from quantum_circuit_env.evals.store import RunFolder
from support.evaluations import (
    PATIENCE,
    children_of,
    config,
    lines,
    results,
    started,
    stored,
    wait_for_lines,
    wait_until_ended,
)

AGENTS = ("random-legal", "beam:width=16")
SEEDS = 30
OPTIONS = (
    *(part for agent in AGENTS for part in ("--agent", agent)),
    *("--split", "test", "--seeds", str(SEEDS), "--tiers", "medium", "--turns", "40", "--workers", "2"),
)
TOTAL = len(AGENTS) * SEEDS


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """The run that nothing has disturbed."""
    asked = config(*AGENTS, seeds=SEEDS, tiers=("medium",), turns=40)
    return evaluate(asked, tmp_path_factory.mktemp("whole") / "run")


@contextmanager
def running(out: Path, *options: str) -> Iterator[subprocess.Popen[str]]:
    process = started(out, *OPTIONS, *options)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def test_ctrl_c_loses_nothing_and_says_how_to_go_on(whole: RunFolder, tmp_path: Path) -> None:
    out = tmp_path / "run"
    with running(out) as process:
        wait_for_lines(process, out, 3)
        workers = children_of(process.pid)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    wait_until_ended(workers)
    kept = len(stored(out))
    assert 3 <= kept < TOTAL
    assert f"stopped: {kept} of {TOTAL} episodes are in {out}; the same command with --resume" in errors
    assert "Traceback" not in errors
    assert output == ""
    assert RunFolder.open(out).info.sittings[-1].finished_at is not None
    with running(out, "--resume") as process:
        output, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, errors
    assert "random-legal" in output
    assert results(RunFolder.open(out)) == results(whole)


def test_a_run_whose_driver_is_killed_is_resumed_without_a_missing_or_doubled_episode(
    whole: RunFolder, tmp_path: Path
) -> None:
    out, kills = tmp_path / "run", 0
    for more in (1, 15):
        with running(out, *(["--resume"] if kills else [])) as process:
            wait_for_lines(process, out, lines(out) + more)
            workers = children_of(process.pid)
            process.kill()
            process.communicate()
        kills += process.returncode == -signal.SIGKILL
        wait_until_ended(workers)
    assert kills == 2
    assert lines(out) < TOTAL
    run = evaluate(
        config(*AGENTS, seeds=SEEDS, tiers=("medium",), turns=40, workers=1, executor="async"),
        out,
        resume=True,
    )
    assert set(stored(out).values()) == {1}
    assert set(stored(out)) == set(run.info.keys())
    assert results(run) == results(whole)
    assert len(run.info.sittings) == 3
