"""What episodes are compared by, and the score arrays that the statistics take."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple, TypeAlias

from quantum_circuit_env.evals.records import Episode
from quantum_circuit_env.evals.stats.values import StatsError

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


def metric_named(name: str) -> Metric:
    """Return the metric of that name, or raise a StatsError that says which there are."""
    if name not in METRICS:
        *most, last = METRICS
        raise StatsError(f"the metric must be {', '.join(most)} or {last}; got {name!r}")
    return METRICS[name]


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


def by_seed(values: Rows, seeds: Iterable[int] | None = None) -> list[tuple[float, ...]]:
    """Return the values of seeds, all of them by default: a row for each, as the statistics take them."""
    return [values[seed] for seed in (values if seeds is None else seeds)]
