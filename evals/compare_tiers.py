"""Where agents stand on one tier."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from quantum_circuit_env.agents.vocabulary import ErrorClass
from quantum_circuit_env.evals.comparison import Overall, Standing
from quantum_circuit_env.evals.entrants import Entrant
from quantum_circuit_env.evals.metrics import METRICS, Metric, Rows, by_seed, rows
from quantum_circuit_env.evals.records import Episode
from quantum_circuit_env.evals.standings import Bootstraps
from quantum_circuit_env.evals.stats.coverage import observed_coverage
from quantum_circuit_env.evals.stats.passes import pass_at_k_by_seed
from quantum_circuit_env.evals.stats.rates import TurnRates, turn_rates
from quantum_circuit_env.evals.stats.reruns import fixed_seed_bootstrap, macro_average
from quantum_circuit_env.evals.stats.robust import iqm_of_each
from quantum_circuit_env.evals.stats.values import Estimate, Flag, Target, in_flag_order

KS: Final = (1, 3, 5)
"""Numbers of tries for pass@k."""

TOLERATED: Final = 0.02
"""Share of incomplete episodes above which bounds are told."""

_MEANS: Final = (
    "norm_score",
    "score",
    "score_without_bonus",
    "success_t1",
    "success_t50",
    "legacy_success",
    "steps",
)
"""Metrics of which every table tells the mean."""

_EMPTY: Final = (ErrorClass.EMPTY_OUTPUT, ErrorClass.BUDGET_EXHAUSTED)


@dataclass(frozen=True, slots=True)
class Settings:
    """How agents are compared: by what, with intervals of what, how sure, and with which resamples."""

    metric: Metric
    target: Target
    alpha: float
    bootstraps: Bootstraps

    @property
    def level(self) -> float:
        """Nominal coverage of the intervals."""
        return 1 - self.alpha

    def estimate(self, values: Rows) -> Estimate:
        """Return the mean of values, with its interval."""
        if self.target == "fixed" and values:
            return fixed_seed_bootstrap(by_seed(values), level=self.level)
        return self.bootstraps[len(values)].mean(by_seed(values), level=self.level)

    def iqm(self, values: Rows) -> Estimate:
        """Return the interquartile mean of values, with its interval."""
        if not values:
            return Estimate(None, None, (Flag.NO_DATA,))
        if self.target == "fixed":
            return fixed_seed_bootstrap(by_seed(values), iqm_of_each, level=self.level)
        return self.bootstraps[len(values)].iqm(by_seed(values), level=self.level)


class OnTier:
    """One agent's episodes on one tier.

    Attributes:
        label: what tables call the agent.
        baseline: whether it was played to read the others by.
        incomplete: episodes that were broken off or not played.
        iid: whether the samples of a seed are independent.
    """

    def __init__(self, entrant: Entrant, tier: str, *, baseline: bool = False) -> None:
        self.label = entrant.label
        self.baseline = baseline
        self.iid = entrant.iid
        own = [episode for episode in entrant.episodes if episode.tier == tier]
        self.complete: list[Episode] = [episode for episode in own if episode.complete]
        self.incomplete = len(own) - len(self.complete) + sum(key.tier == tier for key in entrant.unplayed)
        self._rows: dict[str, Rows] = {}

    def __bool__(self) -> bool:
        """Whether there is anything of the agent on the tier."""
        return bool(self.complete or self.incomplete)

    def rows(self, metric: str) -> Rows:
        """Return a metric of the complete episodes."""
        if metric not in self._rows:
            self._rows[metric] = rows(self.complete, METRICS[metric])
        return self._rows[metric]


def standings(agents: Iterable[OnTier], settings: Settings) -> list[Standing]:
    """Return the standings of agents, the best first, without ranks."""
    return in_order(_standing(agent, settings) for agent in agents)


def in_order(found: Iterable[Standing]) -> list[Standing]:
    """Return standings, the best first."""
    return sorted(found, key=lambda standing: (-_or_less(standing.mean.mean), standing.agent))


def _or_less(mean: float | None) -> float:
    # Rounding must not decide who of two equal agents comes first.
    return float("-inf") if mean is None else round(mean, 12)


def overall(tiers: Sequence[Sequence[OnTier]], settings: Settings) -> list[Overall]:
    """Return the mean over tiers of each agent that has scores on all of them, the best first."""
    found = []
    for first in tiers[0]:
        own = [
            agent.rows(settings.metric.name) for tier in tiers for agent in tier if agent.label == first.label
        ]
        if len(own) == len(tiers) and all(own):
            mean = macro_average(
                [by_seed(values) for values in own],
                resamples=settings.bootstraps.resamples,
                level=settings.level,
            )
            found.append(Overall(first.label, first.baseline, mean))
    return sorted(found, key=lambda each: (-_or_less(each.mean.mean), each.agent))


def shared_seeds(agents: Iterable[OnTier], metric: str) -> list[int]:
    """Return the seeds on which all agents have the metric, ascending."""
    sets = [agent.rows(metric).keys() for agent in agents]
    return sorted(set(sets[0]).intersection(*sets[1:])) if sets else []


def _standing(agent: OnTier, settings: Settings) -> Standing:
    values = agent.rows(settings.metric.name)
    mean = settings.estimate(values)
    n_samples = sum(map(len, values.values()))
    means = {name: settings.estimate(agent.rows(name)) for name in _MEANS}
    solved = agent.rows("success_t1")
    return Standing(
        agent=agent.label,
        baseline=agent.baseline,
        n_seeds=len(values),
        n_samples=n_samples,
        complete=len(agent.complete),
        unscored=len(agent.complete) - n_samples,
        incomplete=agent.incomplete,
        mean=mean,
        iqm=settings.iqm(values),
        bounds=_bounds(values, agent, settings.metric),
        **means,
        pass_at=_pass_at(solved, settings) if agent.iid else {},
        episode_return=settings.estimate(agent.rows("return")),
        rates=_rates(agent.complete),
        coverage=observed_coverage(by_seed(solved)),
        classes=_classes(agent.complete),
        rank=None,
        flags=_flags(mean.flags, agent),
    )


def _flags(flags: Iterable[Flag], agent: OnTier) -> tuple[Flag, ...]:
    more = {Flag.INCOMPLETE: bool(agent.incomplete), Flag.NON_IID: not agent.iid}
    return in_flag_order((*flags, *(flag for flag, holds in more.items() if holds)))


def _bounds(values: Rows, agent: OnTier, metric: Metric) -> tuple[float, float] | None:
    """Mean of all episodes with the incomplete ones at the worst and at the best value."""
    planned = len(agent.complete) + agent.incomplete
    if metric.low is None or metric.high is None or agent.incomplete <= TOLERATED * planned:
        return None
    known = [value for row in values.values() for value in row]
    whole, total = len(known) + agent.incomplete, sum(known)
    return (total + agent.incomplete * metric.low) / whole, (total + agent.incomplete * metric.high) / whole


def _pass_at(solved: Rows, settings: Settings) -> dict[int, Estimate]:
    """Return pass@k of the seeds that have k samples, for each k that any of them has."""
    found = {}
    for k in KS:
        enough = [row for row in solved.values() if len(row) >= k]
        values = pass_at_k_by_seed(enough, k)
        if enough and values is not None:
            estimate = settings.bootstraps[len(enough)].mean(
                values, level=settings.level, missing=len(solved) - len(enough)
            )
            # The chance of k tries is one number a seed: a rerun of it needs the samples, not these numbers.
            found[k] = estimate if settings.target == "population" else replace(estimate, interval=None)
    return found


def _classes(episodes: Iterable[Episode]) -> dict[str, int]:
    counts: Counter[ErrorClass] = Counter()
    for episode in episodes:
        counts.update(episode.classes)
    return {kind.value: counts[kind] for kind in ErrorClass if counts[kind]}


def _rates(episodes: Sequence[Episode]) -> TurnRates:
    replies = sum(episode.replies for episode in episodes)
    faults = sum(episode.classes.get(ErrorClass.API_ERROR, 0) for episode in episodes)
    empty = sum(episode.classes.get(kind, 0) for episode in episodes for kind in _EMPTY)
    return turn_rates(
        turns=replies + faults,
        replies=replies,
        nonempty=replies - empty,
        valid_outputs=sum(episode.valid_outputs for episode in episodes),
        legal_actions=sum(episode.legal_actions for episode in episodes),
    )
