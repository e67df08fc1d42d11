"""How agents stand on ingested suites: pass@k, or the mean score, with task-bootstrap intervals."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

import numpy as np

from quantum_circuit_env.evals.ingest.records import INCOMPLETE, NON_IID, SampleRecord
from quantum_circuit_env.evals.stats.passes import pass_at_k_by_seed, sequential_at_k
from quantum_circuit_env.evals.stats.resampling import SeedBootstrap
from quantum_circuit_env.evals.stats.values import Estimate, Flag, FloatArray, data_flags

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
        by_task: the metric of each task.
    """

    suite: str
    metric: str
    agent_id: str
    n_tasks: int
    n_samples: int
    valid_rate: float | None
    estimate: Estimate | None
    by_task: Mapping[str, float] = field(repr=False)


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


def _metrics(records: Iterable[SampleRecord]) -> dict[str, ByTask]:
    """Return the metrics that the samples of one suite have."""
    first = next(iter(records))
    sequential = any(NON_IID in record.flags for record in records)
    name, estimator = ("sequential", sequential_at_k) if sequential else ("pass", pass_at_k_by_seed)

    def at(k: int) -> ByTask:
        return lambda results: estimator(
            [[bool(record.passed) for record in own] for own in results.values()], k
        )

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
        by_task={} if values is None else dict(zip(results, values.tolist(), strict=True)),
    )


def _flags(flags: Iterable[Flag], results: Results) -> tuple[Flag, ...]:
    """Add what the samples of the tasks tell to the flags of their values."""
    counts = {len(own) for own in results.values()}
    held = set(flags)
    marks = {flag for own in results.values() for record in own for flag in record.flags}
    if NON_IID in marks:
        held.add(Flag.NON_IID)
    if INCOMPLETE in marks or len(counts) > 1:
        held.add(Flag.INCOMPLETE)
    if len(counts) == 1:
        outcomes = [[_outcome(record) for record in own] for own in results.values()]
        held |= set(data_flags(outcomes)) & {Flag.IDENTICAL_SAMPLES}
    return tuple(flag for flag in Flag if flag in held)


def _outcome(record: SampleRecord) -> float:
    return float(record.passed) if record.passed is not None else record.score or 0.0
