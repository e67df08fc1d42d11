"""What a run came to, in short: mean scores by agent and tier, with their intervals."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

from qrewrite.tasks import TIERS
from quantum_circuit_env.evals.metrics import METRICS, by_seed, rows
from quantum_circuit_env.evals.records import Episode
from quantum_circuit_env.evals.stats.resampling import SeedBootstrap
from quantum_circuit_env.evals.stats.values import Estimate


class Row(NamedTuple):
    """One agent on one tier.

    Attributes:
        n: complete episodes.
        incomplete: episodes that were broken off and have no score.
        score, norm_score: means over the seeds, and intervals for the population of seeds.
    """

    agent_id: str
    tier: str
    n: int
    incomplete: int
    score: Estimate
    norm_score: Estimate


def summary(episodes: Iterable[Episode]) -> Iterator[Row]:
    """Yield a row for each tier and agent that there is, easy ones first."""
    for (tier, agent_id), own in grouped(episodes).items():
        complete = [episode for episode in own if episode.complete]
        yield Row(
            agent_id,
            tier,
            len(complete),
            len(own) - len(complete),
            _mean(complete, "score"),
            _mean(complete, "norm_score"),
        )


def grouped(episodes: Iterable[Episode]) -> dict[tuple[str, str], list[Episode]]:
    """Return the episodes of each tier and agent that there is, easy ones first."""
    found: defaultdict[tuple[str, str], list[Episode]] = defaultdict(list)
    for episode in episodes:
        found[episode.tier, episode.agent_id].append(episode)
    order = sorted(found, key=lambda group: (tuple(TIERS).index(group[0]), group[1]))
    return {group: found[group] for group in order}


def estimates(episodes: Iterable[Episode], metrics: Iterable[str]) -> dict[str, Estimate]:
    """Return the mean of each metric over the seeds, with its interval for the population of seeds.

    Args:
        episodes: of one agent on one tier; those that are not complete do not count.
        metrics: keys of METRICS.
    """
    complete = [episode for episode in episodes if episode.complete]
    return {metric: _mean(complete, metric) for metric in metrics}


def told(estimate: Estimate) -> str:
    """Return a mean and its interval as words, the interval on a line of its own; `-` without data."""
    if estimate.mean is None:
        return "-"
    if estimate.interval is None:
        return f"{estimate.mean:.3f}"
    return f"{estimate.mean:.3f}\n[{estimate.interval.low:.3f}, {estimate.interval.high:.3f}]"


def _mean(episodes: Iterable[Episode], metric: str) -> Estimate:
    scores = by_seed(rows(episodes, METRICS[metric]))
    return _bootstrap(len(scores)).mean(scores)


@cache
def _bootstrap(n_seeds: int) -> SeedBootstrap:
    return SeedBootstrap(n_seeds)
