"""What episodes are compared by, and the score arrays that the statistics take."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from quantum_circuit_env.evals.records import Episode
from quantum_circuit_env.evals.stats.values import FloatArray

Rows: TypeAlias = Mapping[int, tuple[float, ...]]
"""Seed, ascending → the values of its samples, in their order."""


class Metric(NamedTuple):
    """A number that each complete episode has.

    Attributes:
        name: as it is asked for.
        title: what tables call it.
        of: its value; None where it is not defined, as is the normalised score of a circuit at its best.
        low, high: between which it lies; None if nothing is promised.
    """

    name: str
    title: str
    of: Callable[[Episode], float | None]
    low: float | None = 0.0
    high: float | None = 1.0


METRICS: Final[Mapping[str, Metric]] = {
    metric.name: metric
    for metric in (
        Metric("norm_score", "normalised score", lambda episode: episode.norm_score),
        Metric("score", "score", lambda episode: episode.score),
        Metric("score_without_bonus", "score without bonus", lambda episode: episode.score_without_bonus),
        Metric("compression", "share of gates removed", lambda episode: episode.compression),
        Metric("success_t1", "success@1", lambda episode: _number(episode.success_t1)),
        Metric("success_t50", "success@.5", lambda episode: _number(episode.success_t50)),
        Metric("legacy_success", "legacy success", lambda episode: _number(episode.legacy_success)),
        Metric("return", "return", lambda episode: episode.episode_return, low=None, high=None),
        Metric("steps", "steps", lambda episode: float(episode.steps), high=None),
    )
}
"""Name → metric."""


def _number(value: bool | None) -> float | None:
    return None if value is None else float(value)


def rows(episodes: Iterable[Episode], metric: Metric) -> Rows:
    """Return the metric of the complete episodes that have it; they are of one agent on one tier."""
    found: defaultdict[int, list[tuple[int, float]]] = defaultdict(list)
    for episode in episodes:
        value = metric.of(episode) if episode.complete else None
        if value is not None:
            found[episode.seed].append((episode.sample, value))
    return {seed: tuple(value for _, value in sorted(found[seed])) for seed in sorted(found)}


def matrix(values: Rows, seeds: Iterable[int] | None = None) -> FloatArray:
    """Return the values of seeds, all of them by default, as (n_seeds, n_samples).

    Where seeds have different numbers of samples, because some are missing, it is their means, (n_seeds, 1).
    """
    chosen = [values[seed] for seed in (values if seeds is None else seeds)]
    if len({len(row) for row in chosen}) > 1:
        chosen = [(float(np.mean(row)),) for row in chosen]
    return np.array(chosen, dtype=np.float64).reshape(len(chosen), -1 if chosen else 1)


def padded(passed: Rows, seeds: Sequence[int]) -> FloatArray:
    """Return successes as (n_seeds, n_samples), with failures in the place of samples that are missing."""
    width = max((len(passed[seed]) for seed in seeds), default=1)
    filled = [passed[seed] + (0.0,) * (width - len(passed[seed])) for seed in seeds]
    return np.array(filled, dtype=np.float64).reshape(len(seeds), width)
