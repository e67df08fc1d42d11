"""Shards: files that come whole, once, and with the episodes of their units, whoever plays them."""

import signal
import subprocess
import sys
from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar

import pytest

from quantum_circuit_env.agents.interrupts import Interrupts
from quantum_circuit_env.evals import executors_ray, ray_node, shards
from quantum_circuit_env.evals.evaluate import evaluate, ordered
from quantum_circuit_env.evals.executors import ExecutorError, Job, play_chunk
from quantum_circuit_env.evals.executors_ray import ray_shards
from quantum_circuit_env.evals.records import Episode
from quantum_circuit_env.evals.shards import SHARDS, Shard, leftovers, merged, play_shard, sharded
from quantum_circuit_env.evals.stats.extras import MissingExtraError
from quantum_circuit_env.evals.store import RunFolder
from quantum_circuit_env.evals.units import Unit
from support.evaluations import config, results, stored
from support.units import FIRST, timeless, unit

JOB = Job("run-1", None, 5)
UNITS = [unit(agent, seed=FIRST + seed) for seed in range(3) for agent in ("random-legal", "null")]

_T = TypeVar("_T")


def ended(generator: Generator[Episode, None, _T]) -> tuple[list[Episode], _T]:
    """What a generator yields, and what it returns."""
    found = []
    while True:
        try:
            found.append(next(generator))
        except StopIteration as end:
            return found, end.value


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("*"))


def test_shards_are_all_the_units_and_neither_small_nor_large() -> None:
    units = [unit("null", seed=seed) for seed in range(5000)]
    for count, workers, size in ((5000, 2, 200), (1000, 2, 125), (100, 2, 50), (10, 2, 10), (0, 2, 0)):
        pieces = sharded(units[:count], workers)
        assert [one for piece in pieces for one in piece.units] == units[:count]
        assert {len(piece.units) for piece in pieces[:-1]} <= {size}
        assert all(len(piece.units) <= size for piece in pieces)


def test_a_shard_is_named_by_its_units() -> None:
    shard = Shard(tuple(UNITS))
    assert shard.id == Shard(tuple(reversed(UNITS))).id
    others = (Shard(tuple(UNITS[1:])), Shard((*UNITS[1:], replace(UNITS[0], sample=1))))
    assert len({shard.id, *(other.id for other in others)}) == 3


def test_a_shard_comes_back_as_its_episodes_and_is_gone(tmp_path: Path) -> None:
    shard = Shard(tuple(UNITS))
    assert play_shard(shard, JOB, tmp_path / "new") == len(UNITS)
    assert names(tmp_path / "new") == [f"{shard.id}.jsonl"]
    episodes = list(merged(shard, tmp_path / "new"))
    assert list(map(timeless, episodes)) == list(map(timeless, play_chunk(UNITS, JOB)))
    assert names(tmp_path / "new") == []


def test_a_shard_that_is_there_is_not_played_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shard = Shard(tuple(UNITS))
    play_shard(shard, JOB, tmp_path)
    before = shard.path(tmp_path).read_bytes()
    monkeypatch.setattr(shards, "play_chunk", lambda *_: pytest.fail("played again"))
    assert play_shard(shard, JOB, tmp_path) == len(UNITS)
    assert shard.path(tmp_path).read_bytes() == before


def test_a_worker_that_ends_leaves_no_shard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(units: Sequence[Unit], job: Job) -> list[Episode]:
        play_chunk(units[:1], job)
        raise KeyboardInterrupt

    shard = Shard(tuple(UNITS))
    monkeypatch.setattr(shards, "play_chunk", breaks)
    with pytest.raises(KeyboardInterrupt):
        play_shard(shard, JOB, tmp_path)
    assert not shard.path(tmp_path).exists()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda lines: lines[1:], "1 are missing, 0 doubled, 0 of others"),
        (lambda lines: [*lines, lines[0]], "0 are missing, 1 doubled, 0 of others"),
        (
            lambda lines: [lines[0].replace('"sample":0', '"sample":1'), *lines[1:]],
            "1 are missing, 0 doubled, 1 of others",
        ),
        (lambda lines: [lines[0][:-5], *lines[1:]], "cannot be read"),
    ],
)
def test_a_shard_with_other_episodes_is_refused(
    tmp_path: Path, change: Callable[[list[str]], list[str]], says: str
) -> None:
    shard = Shard(tuple(UNITS))
    play_shard(shard, JOB, tmp_path)
    path = shard.path(tmp_path)
    path.write_text("\n".join(change(path.read_text("utf-8").splitlines())), "utf-8")
    with pytest.raises(ExecutorError, match=says):
        list(merged(shard, tmp_path))


def test_what_a_killed_driver_left_is_merged_and_the_rest_is_still_to_play(tmp_path: Path) -> None:
    play_shard(Shard(tuple(UNITS[:4])), JOB, tmp_path)
    (tmp_path / "torn.123.tmp").write_text("{", "utf-8")
    # The first of them has been merged before the driver was killed.
    episodes, rest = ended(leftovers(UNITS[1:], tmp_path))
    assert [episode.key for episode in episodes] == [episode.key for episode in play_chunk(UNITS[1:4], JOB)]
    assert rest == UNITS[4:]
    assert not tmp_path.exists()
    assert ended(leftovers(UNITS, tmp_path)) == ([], UNITS)


def test_any_executor_merges_what_is_left(tmp_path: Path) -> None:
    asked, out = config("random-legal", "null", turns=5, tiers=("easy",), executor="async"), tmp_path / "run"
    whole = evaluate(asked, tmp_path / "whole")
    run = RunFolder.create(out, replace(whole.info, run_id="other"))
    units = ordered(run.info, run.missing())
    play_shard(Shard(tuple(units[:4])), Job("other", "test", 5), out / SHARDS)
    left = {line for path in (out / SHARDS).iterdir() for line in path.read_text("utf-8").splitlines()}
    run.close()
    again = evaluate(asked, out, resume=True)
    assert results(again) == results(whole)
    assert set(stored(out).values()) == {1}
    assert left < set((out / "episodes.jsonl").read_text("utf-8").splitlines())
    assert not (out / SHARDS).exists()


class InlineRay:
    """Plays at once and where it is asked, last shard first; what the driver uses of Ray."""

    exceptions = SimpleNamespace(RayError=ZeroDivisionError)

    def __init__(self, fails: BaseException | None = None) -> None:
        self.fails = fails
        self.most = self.started = self.ended = 0

    def init(self, **options: Any) -> None:
        assert Path(options["_temp_dir"]).is_dir()
        self.started += 1

    def shutdown(self) -> None:
        self.ended += 1

    def remote(self, max_retries: int) -> Callable[[Callable[..., int]], Any]:
        assert max_retries == 3

        def run(play: Callable[..., int]) -> Any:
            return SimpleNamespace(remote=lambda *given: (given[0].id, play(*given)))

        return run

    def wait(self, running: list[Any], timeout: float) -> tuple[list[Any], list[Any]]:
        self.most = max(self.most, len(running))
        return running[-1:], running[:-1]

    def get(self, reference: tuple[str, int]) -> int:
        if self.fails is not None:
            raise self.fails
        return reference[1]


@pytest.fixture
def inline(monkeypatch: pytest.MonkeyPatch) -> InlineRay:
    """A node that is here."""
    ray = InlineRay()
    monkeypatch.setattr(executors_ray, "imported_ray", lambda: ray)
    monkeypatch.setattr(
        executors_ray, "sharded", lambda units, _workers: sharded(units, 1, smallest=1, largest=1)
    )
    return ray


def played(folder: Path) -> list[Episode]:
    return list(ray_shards(UNITS, JOB, workers=2, interrupts=Interrupts(), folder=folder))


def test_shards_in_any_order_are_all_the_episodes_once(tmp_path: Path, inline: InlineRay) -> None:
    found = played(tmp_path / "shards")
    assert sorted(episode.key for episode in found) == sorted(
        episode.key for episode in play_chunk(UNITS, JOB)
    )
    assert inline.most == 4
    assert (inline.started, inline.ended) == (1, 1)
    assert names(tmp_path) == [], "the folder of shards is gone"


def test_a_shard_that_fails_for_good_ends_the_run_and_the_node(tmp_path: Path, inline: InlineRay) -> None:
    inline.fails = ZeroDivisionError("its worker\nhas died")
    with pytest.raises(ExecutorError, match="cannot be played: has died"):
        played(tmp_path)
    assert inline.ended == 1


LATE = "The current node timed out during startup. This could happen because it\nhas no room."
"""Begins as Ray 2.60 tells it."""


@pytest.mark.parametrize("error", [RuntimeError("no room."), OSError("no room."), Exception(LATE)])
def test_a_node_is_started_with_patience_and_leaves_nothing_behind(
    tmp_path: Path, inline: InlineRay, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    begun: list[subprocess.Popen[bytes]] = []

    def fails(**options: Any) -> None:
        sleeps = (sys.executable, "-c", "import time; time.sleep(600)", options["_temp_dir"])
        begun.append(subprocess.Popen(sleeps))
        raise error

    monkeypatch.setattr(inline, "init", fails)
    with pytest.raises(ExecutorError, match=r"Ray does not start: .*no room; --executor process"):
        played(tmp_path)
    assert [process.wait(timeout=30) for process in begun] == [-signal.SIGKILL] * 3


@pytest.mark.parametrize("error", [KeyError("a mistake"), KeyError(LATE), Exception("a mistake")])
def test_what_is_no_failed_start_is_no_business_of_ours(
    tmp_path: Path, inline: InlineRay, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fails(**_options: Any) -> None:
        raise error

    monkeypatch.setattr(inline, "init", fails)
    with pytest.raises(type(error)) as raised:
        played(tmp_path)
    assert raised.value is error


def test_without_ray_the_command_to_get_it_is_told_before_a_folder_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.setattr(ray_node, "_ENVIRONMENT", {})
    with pytest.raises(MissingExtraError, match=r"pip install 'openenv-quantum-circuit-env\[ray\]'"):
        evaluate(config("null", executor="ray"), tmp_path / "run")
    assert not (tmp_path / "run").exists()
