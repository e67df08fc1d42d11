"""How agents stand on ingested suites: pass@k, or the mean score, with task-bootstrap intervals."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

import numpy as np

from quantum_circuit_env.evals.ingest.records import INCOMPLETE, NON_IID, SampleRecord
from quantum_circuit_env.evals.stats.passes import pass_at_k_by_seed, sequential_at_k
from quantum_circuit_env.evals.stats.ranks import Rank
from quantum_circuit_env.evals.stats.resampling import SeedBootstrap
from quantum_circuit_env.evals.stats.values import Estimate, Flag, FloatArray, data_flags, in_flag_order

KS: Final = (1, 3, 5)
SCORE: Final = "score"

Results: TypeAlias = Mapping[str, tuple[SampleRecord, ...]]
"""Task → its samples in their order, of one agent on one suite."""

ByTask: TypeAlias = Callable[[Results], FloatArray | None]
"""The metric of each task, or None where a task has too few samples for it."""


@dataclass(frozen=True, slots=True)
class Standing:
    """One agent on one suite by one metric.

    Attributes:
        n_tasks, n_samples: what it was measured on.
        valid_rate: share of well-formed outputs among those of which the files say it; None if of none.
        estimate: mean over tasks and its interval for the population of tasks; None if a task has fewer than
            k samples.
        iqm: interquartile mean of the tasks and its interval, likewise.
        coverage: share of tasks with a pass among all samples; None without verdicts.
        by_task: the metric of each task.
        outcomes: the verdicts of each task; empty without them.
        rank: among the agents of the suite by the metric; None where they are not ranked.
    """

    suite: str
    metric: str
    agent_id: str
    n_tasks: int
    n_samples: int
    valid_rate: float | None
    estimate: Estimate | None
    iqm: Estimate | None
    coverage: float | None
    by_task: Mapping[str, float] = field(repr=False)
    outcomes: Mapping[str, tuple[bool, ...]] = field(repr=False)
    rank: Rank | None = None


class Bootstraps(dict[int, SeedBootstrap]):
    """Number of tasks → the resamples of so many, shared by all agents, metrics and suites that have them."""

    def __init__(self, resamples: int) -> None:
        super().__init__()
        self.resamples = resamples

    def __missing__(self, n_tasks: int) -> SeedBootstrap:
        self[n_tasks] = SeedBootstrap(n_tasks, resamples=self.resamples)
        return self[n_tasks]


def standings(records: Iterable[SampleRecord], bootstraps: Bootstraps) -> Iterator[Standing]:
    """Yield the standings of all agents on all suites of the records, which are sorted by key."""
    found: dict[str, dict[str, dict[str, list[SampleRecord]]]] = defaultdict(
        lambda: defaultdict(lambda: defaultdict(list))
    )
    for record in records:
        found[record.suite][record.agent_id][record.task].append(record)
    for suite, agents in found.items():
        everything = [record for tasks in agents.values() for own in tasks.values() for record in own]
        for metric, by_task in _metrics(everything).items():
            for agent, tasks in agents.items():
                results = {task: tuple(own) for task, own in tasks.items()}
                yield _standing(suite, metric, agent, results, by_task, bootstraps)


def _metrics(records: Sequence[SampleRecord]) -> dict[str, ByTask]:
    """Return the metrics that the samples of one suite have."""
    first, longest = records[0], 1 + max(record.sample for record in records)
    sequential = any(NON_IID in record.flags for record in records)
    name, estimator = ("sequential", sequential_at_k) if sequential else ("pass", pass_at_k_by_seed)

    def at(k: int) -> ByTask:
        # A chain of attempts may end at the one that passes: the task is solved within any more of them.
        width = min(k, longest) if sequential else 0
        return lambda results: estimator([_padded(_verdicts(own), width) for own in results.values()], k)

    metrics: dict[str, ByTask] = {}
    if first.passed is not None:
        metrics = {f"{name}@{k}": at(k) for k in KS}
    if first.score is not None:
        metrics[SCORE] = lambda results: np.array(
            [np.mean([record.score for record in own]) for own in results.values()], dtype=np.float64
        )
    return metrics


def _standing(
    suite: str, metric: str, agent: str, results: Results, by_task: ByTask, bootstraps: Bootstraps
) -> Standing:
    values = by_task(results)
    outcomes = {} if metric == SCORE else {task: _verdicts(own) for task, own in results.items()}
    samples = [record for own in results.values() for record in own]
    stated = [record.valid for record in samples if record.valid is not None]
    estimate = None
    if values is not None:
        estimate = bootstraps[len(results)].mean(values)
        estimate = replace(estimate, flags=_flags(estimate.flags, results))
    return Standing(
        suite=suite,
        metric=metric,
        agent_id=agent,
        n_tasks=len(results),
        n_samples=len(samples),
        valid_rate=sum(stated) / len(stated) if stated else None,
        estimate=estimate,
        iqm=None if values is None else bootstraps[len(results)].iqm(values),
        coverage=sum(map(any, outcomes.values())) / len(outcomes) if outcomes else None,
        outcomes=outcomes,
        by_task={} if values is None else dict(zip(results, values.tolist(), strict=True)),
    )


def _flags(flags: Iterable[Flag], results: Results) -> tuple[Flag, ...]:
    """Add what the samples of the tasks tell to the flags of their values."""
    full = max(len(own) for own in results.values())
    counts = {full if _ended(own) else len(own) for own in results.values()}
    held = set(flags)
    marks = {flag for own in results.values() for record in own for flag in record.flags}
    if NON_IID in marks:
        held.add(Flag.NON_IID)
    if INCOMPLETE in marks or len(counts) > 1:
        held.add(Flag.INCOMPLETE)
    if all(len(own) == full for own in results.values()):
        outcomes = [[_outcome(record) for record in own] for own in results.values()]
        held |= set(data_flags(outcomes)) & {Flag.IDENTICAL_SAMPLES}
    return in_flag_order(held)


def _verdicts(own: Iterable[SampleRecord]) -> tuple[bool, ...]:
    return tuple(bool(record.passed) for record in own)


def _padded(verdicts: tuple[bool, ...], width: int) -> tuple[bool, ...]:
    """Return verdicts with failures behind the last, if that is a pass, up to a number of them."""
    return verdicts + (False,) * (width - len(verdicts)) if any(verdicts) else verdicts


def _ended(own: tuple[SampleRecord, ...]) -> bool:
    """Whether these are attempts that saw each other and came to a pass."""
    return any(record.passed and NON_IID in record.flags for record in own)


def _outcome(record: SampleRecord) -> float:
    return float(record.passed) if record.passed is not None else record.score or 0.0
