"""Evaluations: any number of workers and any number of sittings come to the same set of results."""

import multiprocessing
from dataclasses import replace
from pathlib import Path

import pytest

from qrewrite.circuits import SplitError, TaskError
from quantum_circuit_env.agents.interrupts import Interrupts
from quantum_circuit_env.agents.registry import agent_factory
from quantum_circuit_env.agents.spec import AgentSpec
from quantum_circuit_env.evals import evaluate as evaluation
from quantum_circuit_env.evals.configuration import (
    Config,
    EvaluateError,
    executor_named,
    first_seeds,
    listed_seeds,
)
from quantum_circuit_env.evals.evaluate import evaluate, ordered
from quantum_circuit_env.evals.executors import ExecutorError, Job, chunked, processes, threads
from quantum_circuit_env.evals.playing import LocalSession, play_unit
from quantum_circuit_env.evals.provenance import InfoError
from quantum_circuit_env.evals.records import Episode
from quantum_circuit_env.evals.store import ResumeError, RunFolder, StoreError
from quantum_circuit_env.evals.summary import summary, told
from quantum_circuit_env.evals.units import Unit
from support.evaluations import config, results, stored
from support.fake_provider import FakeProvider, completion
from support.units import FIRST, LLM, timeless, unit

AGENTS = ("null", "random-legal", "best-of:k=2")
TWO_SAMPLES = config(*AGENTS, samples=2, turns=20)


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """The run of one worker."""
    out = tmp_path_factory.mktemp("evaluate") / "alone"
    return evaluate(replace(TWO_SAMPLES, executor="async", workers=1), out)


def test_a_run_has_every_episode_once(alone: RunFolder) -> None:
    assert set(stored(alone.path)) == set(alone.info.keys())
    assert set(stored(alone.path).values()) == {1}
    assert len(results(alone)) == 3 * 3 * 3 * 2
    assert alone.missing() == []
    assert alone.info.turns == 20
    assert alone.info.sittings[-1].finished_at is not None
    assert {episode.run_id for episode in alone.episodes()} == {alone.info.run_id}


def test_its_episodes_are_those_of_its_units(alone: RunFolder) -> None:
    one = Unit(alone.info.revision, "random-legal", "medium", FIRST + 1, 1)
    factory = agent_factory(AgentSpec.parse(one.agent))
    expected = timeless(play_unit(one, factory, LocalSession(), 20, split="test"))
    assert results(alone)[expected.key] == expected


@pytest.mark.parametrize(("executor", "workers"), [("process", 2), ("process", 1), ("async", 5)])
def test_any_number_of_workers_gives_the_same_set_of_results(
    alone: RunFolder, tmp_path: Path, executor: str, workers: int
) -> None:
    found = evaluate(
        replace(TWO_SAMPLES, executor=executor_named(executor), workers=workers), tmp_path / "run"
    )
    assert results(found) == results(alone)


def test_samples_differ(alone: RunFolder) -> None:
    found = results(alone)
    pairs = [
        (episode.actions, found[key._replace(sample=1)].actions)
        for key, episode in found.items()
        if key.agent_id == "random-legal" and key.sample == 0
    ]
    assert sum(first != other for first, other in pairs) == len(pairs)


class StopsAfter:
    """Raises SystemExit as a signal does, after some episodes."""

    def __init__(self, count: int) -> None:
        self.left = count
        self.told: list[tuple[int, int]] = []

    def begin(self, stored: int, total: int) -> None:
        self.told.append((stored, total))

    def played(self, episode: Episode) -> None:
        self.left -= 1
        if not self.left:
            raise SystemExit(130)


@pytest.mark.parametrize("executor", ["process", "async"])
def test_an_evaluation_that_is_stopped_is_resumed_where_it_stood(
    alone: RunFolder, tmp_path: Path, executor: str
) -> None:
    asked, out = replace(TWO_SAMPLES, executor=executor_named(executor)), tmp_path / "run"
    with pytest.raises(SystemExit):
        evaluate(asked, out, watcher=StopsAfter(10))
    assert len(RunFolder.open(out).done) == 10
    again = StopsAfter(-1)
    run = evaluate(asked, out, resume=True, watcher=again)
    assert again.told == [(10, 54)]
    assert again.left == -1 - 44
    assert set(stored(out).values()) == {1}
    assert results(run) == results(alone)
    assert len(run.info.sittings) == 2


def test_a_finished_run_is_resumed_without_playing(alone: RunFolder) -> None:
    before = alone.episodes()
    assert evaluate(TWO_SAMPLES, alone.path, resume=True).episodes() == before


@pytest.mark.parametrize(
    "changes", [{"turns": 19}, {"samples": 3}, {"tiers": ("easy",)}, {"split": None}, {"overall": True}]
)
def test_a_changed_evaluation_is_not_resumed(alone: RunFolder, changes: dict[str, object]) -> None:
    with pytest.raises(ResumeError, match=next(iter(changes))):
        evaluate(replace(TWO_SAMPLES, **changes), alone.path, resume=True)  # type: ignore[arg-type]


def test_a_run_is_not_begun_over_another(alone: RunFolder, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="holds a run already"):
        evaluate(TWO_SAMPLES, alone.path)
    with pytest.raises(StoreError, match="holds no run"):
        evaluate(TWO_SAMPLES, tmp_path / "none", resume=True)


def test_what_a_service_breaks_off_is_incomplete_and_played_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, out = config("null", LLM, seeds=2, tiers=("easy",), turns=3), tmp_path / "run"
    good = completion('{"target_index": 0, "action_type": 1}')
    broken = FakeProvider([(500, "away")])
    monkeypatch.setattr(evaluation, "provider_from", lambda *_asked, **_how: broken)
    run = evaluate(asked, out)
    assert [(key.agent_id, key.seed) for key in run.missing()] == [
        (str(asked.models[0]), seed) for seed in asked.seeds
    ]
    by_agent = {row.agent_id: row for row in summary(run.episodes())}
    mine = by_agent[str(asked.models[0])]
    assert (mine.n, mine.incomplete, mine.score.mean) == (0, 2, None)
    assert told(mine.score) == "-"
    assert (by_agent["null"].n, by_agent["null"].incomplete, by_agent["null"].score.mean) == (2, 0, 0.01)
    monkeypatch.setattr(evaluation, "provider_from", lambda *_asked, **_how: FakeProvider([good]))
    run = evaluate(asked, out, resume=True)
    assert run.missing() == []
    assert len(run.episodes()) == 4


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_thread_that_fails_ends_the_evaluation() -> None:
    job, units = Job("run", None, 5), [unit("null"), unit("null", sample=1)]
    found = threads(units, job, workers=2, interrupts=Interrupts(), factories={}, new_session=LocalSession)
    with pytest.raises(ExecutorError, match="not played, for a thread has failed: 2 episodes"):
        next(found)


def test_a_worker_that_is_killed_ends_the_evaluation() -> None:
    units = [unit("null", seed=seed) for seed in range(FIRST, FIRST + 150)]
    before = set(multiprocessing.active_children())
    found = processes(units, Job("run", None, 150), workers=1, interrupts=Interrupts())
    next(found)
    for child in set(multiprocessing.active_children()) - before:
        child.kill()
    with pytest.raises(ExecutorError, match="a worker process has ended"):
        list(found)
    assert set(multiprocessing.active_children()) == before


def test_processes_end_when_their_episodes_are_not_wanted_any_more() -> None:
    units = [unit("beam:width=4096", "hard", seed=seed) for seed in range(FIRST, FIRST + 4)]
    before = set(multiprocessing.active_children())
    found = processes([unit("null"), *units], Job("run", None, 150), workers=1, interrupts=Interrupts())
    assert next(found).agent_id == "null"
    found.close()
    assert set(multiprocessing.active_children()) == before


def test_chunks_are_all_the_units_and_small() -> None:
    units = [unit("null", seed=seed) for seed in range(1000)]
    for workers in (1, 2, 7):
        pieces = list(chunked(units, workers))
        assert [one for piece in pieces for one in piece] == units
        assert len(pieces) >= 8 * workers
        assert max(map(len, pieces)) <= 16
    assert list(chunked(units[:3], 2)) == [units[:1], units[1:2], units[2:3]]
    assert list(chunked([], 2)) == []


def test_a_task_s_units_are_neighbours_and_the_longest_tasks_come_first(alone: RunFolder) -> None:
    keys = list(alone.info.keys())
    units = ordered(alone.info, keys)
    assert sorted(map(str, units)) == sorted(str(Unit(alone.info.revision, *key)) for key in keys)
    tasks = [(one.tier, one.seed) for one in units]
    assert tasks[::6] == list(dict.fromkeys(tasks))
    assert tasks[0][0] == "hard"
    assert tasks[-1][0] == "easy"


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"tiers": ("easy", "esay")}, "unknown tier 'esay'; the tiers are easy, medium, hard"),
        ({"turns": 0}, "turns must be in 1..150"),
        ({"turns": 151}, "turns must be in 1..150"),
        ({"tiers": ("easy",), "overall": True}, "two tiers or more"),
        ({"samples": 0}, "at least 1"),
        ({"workers": 0}, "at least 1"),
        ({"executor": "process", "url": "http://127.0.0.1:1"}, "plays in process"),
        ({"executor": "process", "agents": (AgentSpec.parse(LLM),)}, "ask no model"),
    ],
)
def test_what_cannot_be_evaluated_is_refused(changes: dict[str, object], says: str) -> None:
    with pytest.raises(EvaluateError, match=says):
        replace(TWO_SAMPLES, **changes)  # type: ignore[arg-type]


def test_seeds_must_be_seeds_each_once(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match="seed must be"):
        Config(agents=(AgentSpec("null"),), seeds=(2**32,))
    with pytest.raises(InfoError, match="each once"):
        evaluate(Config(agents=(AgentSpec("null"),), seeds=(1, 1)), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_seeds_of_splits_and_lists() -> None:
    assert first_seeds("test", 200) == tuple(range(3_000_000, 3_000_200))
    assert first_seeds("train", 2) == (1_000_000, 1_000_001)
    with pytest.raises(EvaluateError, match=r"split test has 1\.\.200 seeds, got 201"):
        first_seeds("test", 201)
    with pytest.raises(SplitError, match="unknown split"):
        first_seeds("tset", 1)
    assert listed_seeds("0-3,42,7") == (0, 1, 2, 3, 42, 7)
    for text in ("", "1,", "-1", "3-1", "1-2-3", "a", "0-100000", " 1"):
        with pytest.raises(EvaluateError):
            listed_seeds(text)
    assert executor_named(None) is None
    with pytest.raises(EvaluateError, match="the executors are process, async, ray"):
        executor_named("threads")


def test_the_summary_has_means_and_intervals(alone: RunFolder) -> None:
    rows = list(summary(alone.episodes()))
    assert [row.tier for row in rows] == ["easy"] * 3 + ["medium"] * 3 + ["hard"] * 3
    for row in rows:
        scores = [e.score for e in alone.episodes() if (e.agent_id, e.tier) == (row.agent_id, row.tier)]
        assert row.n == len(scores) == 6
        assert row.score.mean == pytest.approx(sum(scores) / 6)
        assert row.score.interval is not None
        assert row.score.interval.target == "population"
