"""Writers that are killed at random moments: nothing is lost or there twice, and nobody is locked out."""

import multiprocessing
import os
import signal
import time
from collections import Counter
from collections.abc import Iterator
from multiprocessing.context import ForkServerContext
from pathlib import Path
from random import Random

import pytest

from quantum_circuit_env.evals.records import Episode
from quantum_circuit_env.evals.store import EPISODES, RunFolder, StoreError
from support.runs import episode_of, faulty, hold_with_a_child, run_info, write_missing

INFO = run_info(seeds=range(24), split=None)
PATIENCE = 60.0


@pytest.fixture(scope="module")
def context() -> ForkServerContext:
    """Processes without threads; all tests share the one fork server, so what it preloads stays as it is."""
    return multiprocessing.get_context("forkserver")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with RunFolder.create(tmp_path / "run", INFO) as run:
        return run.path


def stored(path: Path) -> Iterator[Episode]:
    for line in (path / EPISODES).read_text("utf-8").splitlines():
        yield Episode.from_json(line)


def test_a_run_whose_writers_are_killed_is_finished_without_a_missing_or_doubled_episode(
    context: ForkServerContext, path: Path
) -> None:
    rng, deadline = Random(1), time.monotonic() + PATIENCE
    kills = 0
    while RunFolder.open(path).info.sittings[-1].finished_at is None:
        assert time.monotonic() < deadline, f"not finished after {kills} kills"
        here, there = context.Pipe(duplex=False)
        writer = context.Process(target=write_missing, args=(path, INFO, there))
        writer.start()
        there.close()
        if rng.random() < 0.8:
            # While it plays; otherwise at any moment, while it resumes too.
            assert here.poll(PATIENCE)
        writer.join(rng.uniform(0, 0.05))
        writer.kill()
        writer.join(PATIENCE)
        here.close()
        kills += writer.exitcode == -signal.SIGKILL
        assert writer.exitcode in (0, -signal.SIGKILL)
    assert kills >= 3
    run = RunFolder.open(path)
    assert run.missing() == []
    assert sorted(run.episodes(), key=lambda one: one.key) == [
        episode_of(INFO, key) for key in sorted(INFO.keys())
    ]
    lines = Counter(episode.key for episode in stored(path) if episode.complete)
    assert lines == Counter(INFO.keys())
    broken = {episode.key for episode in stored(path) if not episode.complete}
    assert broken == set(filter(faulty, INFO.keys()))


def test_a_killed_writer_locks_nobody_out_though_its_children_live(
    context: ForkServerContext, path: Path
) -> None:
    here, there = context.Pipe(duplex=False)
    writer = context.Process(target=hold_with_a_child, args=(path, INFO, there))
    writer.start()
    assert here.poll(PATIENCE)
    child = here.recv()
    try:
        with pytest.raises(StoreError, match="is being written by another process"):
            RunFolder.open(path).resume(INFO)
        assert RunFolder.open(path).episodes() == []
        writer.kill()
        writer.join(PATIENCE)
        os.kill(child, 0)
        with RunFolder.open(path).resume(INFO) as run:
            run.append(episode_of(INFO, run.missing()[0]))
    finally:
        writer.kill()
        os.kill(child, signal.SIGKILL)
        here.close()
        there.close()
    assert len(RunFolder.open(path).done) == 1
