"""What a comparison says: data only, for JSON, tables and plots to be made of."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from typing import Any

from quantum_circuit_env.evals.stats.coverage import OracleUnion
from quantum_circuit_env.evals.stats.ranks import Agreement, Rank
from quantum_circuit_env.evals.stats.rates import TurnRates
from quantum_circuit_env.evals.stats.values import Estimate, Flag, Target


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One agent on one tier. Incomplete episodes are in none of the numbers but `incomplete` and `bounds`.

    Attributes:
        agent: its label.
        baseline: whether it was played to read the others by: it is in no rank, group, family of tests or
            rank agreement.
        n_seeds, n_samples: seeds and episodes that have the metric.
        complete: complete episodes.
        unscored: complete episodes without the metric: their circuit was at its best from the start.
        incomplete: episodes that were broken off or not played.
        mean, iqm: of the metric.
        bounds: the mean if all incomplete episodes had the worst value, and the best; None while they are at
            most 2 % or the metric has no worst and best.
        norm_score, score, score_without_bonus: means.
        success_t1, success_t50, legacy_success: shares of episodes.
        pass_at: k → pass@k of success@1, of the seeds that have k samples, for each k that any has.
        episode_return, steps: means of their own units.
        rates: what its replies were worth.
        coverage: share of seeds that any of its samples solves to the best known.
        classes: class of turn → how many.
        rank: among the agents that share enough seeds, on those that all of them have; None for others, which
            the flag `unranked` tells from agents without scores.
        flags: what to know beside the mean.
    """

    agent: str
    baseline: bool
    n_seeds: int
    n_samples: int
    complete: int
    unscored: int
    incomplete: int
    mean: Estimate
    iqm: Estimate
    bounds: tuple[float, float] | None
    norm_score: Estimate
    score: Estimate
    score_without_bonus: Estimate
    success_t1: Estimate
    success_t50: Estimate
    legacy_success: Estimate
    pass_at: Mapping[int, Estimate]
    episode_return: Estimate
    steps: Estimate
    rates: TurnRates
    coverage: float | None
    classes: Mapping[str, int]
    rank: Rank | None
    flags: tuple[Flag, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two agents on the seeds of a tier that both have.

    Attributes:
        n_shared, dropped: seeds that both have, and that only one of them has.
        difference: mean of a minus b, and its interval.
        p, p_holm: of the sign-flip test over seeds, raw and adjusted for all pairs of its family.
        mde, mde_holm: smallest true difference that so many seeds find with a chance of 80 %, alone and as
            the strictest of the family; None where nothing can be significant.
        improvement: chance that a sample of a beats one of b on the same seed, ties counted as half.
        union: what both solve together; None without shared seeds.
        union_samples: samples a seed that the union costs, and its budget-matched column.
        by_seed: seed → difference of the agents' means.
    """

    a: str
    b: str
    n_shared: int
    dropped: int
    difference: Estimate
    p: float | None
    p_holm: float | None
    mde: float | None
    mde_holm: float | None
    improvement: float | None
    union: OracleUnion | None
    union_samples: tuple[int, int] | None
    by_seed: Mapping[int, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tier:
    """All agents on one tier.

    Attributes:
        standings: the best first.
        pairs: each pair of agents that are compared once, the one that stands higher first; one family of
            tests. Empty side by side.
        against: each of these agents with each baseline that was played for them; a family of its own.
        tied: groups of agents that the pairs do not tell apart; an agent can be in several.
        taus: thresholds of the performance profile.
        profile: agent → share of its episodes with a metric above each threshold; empty for a metric that is
            not within 0 and 1.
        notes: what could not be computed, and why.
    """

    tier: str
    standings: tuple[Standing, ...]
    pairs: tuple[Pair, ...]
    against: tuple[Pair, ...]
    tied: tuple[tuple[str, ...], ...]
    taus: tuple[float, ...]
    profile: Mapping[str, tuple[float, ...]]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TierAgreement:
    """How far two tiers put the agents that both have in the same order."""

    tier_a: str
    tier_b: str
    agents: tuple[str, ...]
    spearman: Agreement
    kendall: Agreement


@dataclass(frozen=True, slots=True)
class Overall:
    """An agent's mean over tiers, each counting alike, with an interval for other seeds of these tiers."""

    agent: str
    baseline: bool
    mean: Estimate


@dataclass(frozen=True, slots=True)
class Incomplete:
    """An episode that says nothing about its agent, and why."""

    agent: str
    tier: str
    seed: int
    sample: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Agents, compared tier by tier; over tiers only where every run has declared it.

    Attributes:
        suites, revisions: what was played and graded; one each, unless side by side.
        runs: names of the runs.
        baselines: names of the runs that were played to read them by.
        turns: turns of an episode in each run.
        metric: what agents are compared by.
        target: what the intervals of means and differences are of.
        level: of the intervals.
        overall: means over the tiers, the best first; empty unless declared.
        side_by_side: whether runs that are not comparable may be among them: nothing is tested nor ranked.
    """

    suites: tuple[str, ...]
    revisions: tuple[str, ...]
    runs: tuple[str, ...]
    baselines: tuple[str, ...]
    turns: tuple[int, ...]
    metric: str
    target: Target
    alpha: float
    level: float
    side_by_side: bool
    tiers: tuple[Tier, ...]
    agreements: tuple[TierAgreement, ...]
    overall: tuple[Overall, ...]
    incomplete: tuple[Incomplete, ...]
    warnings: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """Return it as what `json.dumps` takes."""
        plain: dict[str, Any] = _plain(self)
        return plain


def _plain(value: object) -> Any:
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return _plain(value._asdict())
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, tuple | list) else value
