"""Comparing agents: tier by tier, pair by pair on the seeds that both have played."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Final

from qrewrite.tasks import TIERS
from quantum_circuit_env.evals.compare_notes import missing_samples
from quantum_circuit_env.evals.compare_pairs import against, pairs, tied
from quantum_circuit_env.evals.compare_ranks import Ranking, ranked, ranking
from quantum_circuit_env.evals.compare_tiers import OnTier, Settings, in_order, overall, standings
from quantum_circuit_env.evals.compare_warnings import warnings
from quantum_circuit_env.evals.comparison import Comparison, Incomplete, Tier, TierAgreement
from quantum_circuit_env.evals.entrants import Entrant, MixedRunsError, check_alike, entrants
from quantum_circuit_env.evals.metrics import METRICS, by_seed, metric_named
from quantum_circuit_env.evals.standings import Bootstraps
from quantum_circuit_env.evals.stats.intervals import RESAMPLES
from quantum_circuit_env.evals.stats.ranks import kendall, spearman
from quantum_circuit_env.evals.stats.robust import performance_profile
from quantum_circuit_env.evals.stats.values import StatsError, Target
from quantum_circuit_env.evals.store import RunFolder

__all__ = ["METRICS", "MixedRunsError", "check", "compare"]

TAUS: Final = tuple(number / 50 for number in range(51))
"""Thresholds of the performance profile."""

_DECIMALS: Final = 12
"""Means that agree to so many decimals are one rank."""


def check(runs: Sequence[RunFolder], *, metric: str, alpha: float, side_by_side: bool) -> None:
    """Raise what `compare` would raise for these arguments."""
    if not runs:
        raise StatsError("a comparison needs at least one run")
    metric_named(metric)
    if not 0 < alpha < 1:
        raise StatsError(f"alpha must be above 0 and below 1, got {alpha:g}")
    if not side_by_side:
        check_alike(runs)


def compare(
    runs: Sequence[RunFolder],
    *,
    baselines: Sequence[RunFolder] = (),
    no_baselines: str = "",
    metric: str = "norm_score",
    target: Target = "population",
    alpha: float = 0.05,
    side_by_side: bool = False,
    resamples: int = RESAMPLES,
) -> Comparison:
    """Compare all agents of the runs.

    Args:
        runs: at least one.
        baselines: runs of agents to read the others by, on tiers where the runs do not have them. All that is
            said of the others is as it would be without them.
        no_baselines: why no baselines were played, for the warning that tells which are absent.
        metric: a key of METRICS.
        target: what the intervals of means and differences are of: `population`, other seeds of the tier;
            `fixed`, a rerun on the same seeds. Tests and ranks are of the population always.
        alpha: chance of any false finding within a tier; intervals have the level 1 - alpha.
        side_by_side: show runs that are not comparable, without tests and ranks.
        resamples: of the seeds.

    Raises:
        MixedRunsError: for runs that were played or graded in different ways, unless side by side.
        StatsError: for an unknown metric, an alpha outside (0, 1) or no runs.
        StoreError: for a run that cannot be read.
    """
    check([*runs, *baselines] if runs else (), metric=metric, alpha=alpha, side_by_side=side_by_side)
    found, added = entrants(runs, pooled=not side_by_side), entrants(baselines)
    settings = Settings(metric_named(metric), target, alpha, Bootstraps(resamples))
    names = _tiers(runs)
    asked = {tier: _on(tier, found) for tier in names}
    beside = {tier: _on(tier, added, baseline=True) for tier in names}
    tiers = [_tier(tier, asked[tier], beside[tier], settings, side_by_side) for tier in names]
    declared = not side_by_side and all(
        run.info.overall and set(run.info.tiers) == set(names) for run in runs
    )
    return Comparison(
        suites=_distinct(run.info.suite for run in runs),
        revisions=_distinct(run.info.revision for run in runs),
        runs=_distinct(run.info.run_id for run in runs),
        baselines=_distinct(run.info.run_id for run in baselines),
        turns=tuple(dict.fromkeys(run.info.turns for run in runs)),
        metric=metric,
        target=target,
        alpha=alpha,
        level=settings.level,
        side_by_side=side_by_side,
        tiers=tuple(tiers),
        agreements=() if side_by_side else tuple(_agreements(tiers)),
        overall=tuple(overall([asked[tier] + beside[tier] for tier in names], settings)) if declared else (),
        incomplete=tuple(_incomplete([*found, *added])),
        warnings=tuple(
            warnings(tiers, [*found, *added], settings, side_by_side=side_by_side, no_baselines=no_baselines)
        ),
    )


def _distinct(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def _tiers(runs: Sequence[RunFolder]) -> list[str]:
    """Return the tiers of the runs, in the game's order."""
    asked = dict.fromkeys(tier for run in runs for tier in run.info.tiers)
    return sorted(asked, key=lambda tier: list(TIERS).index(tier) if tier in TIERS else len(TIERS))


def _on(tier: str, found: Iterable[Entrant], *, baseline: bool = False) -> list[OnTier]:
    return [agent for agent in (OnTier(entrant, tier, baseline=baseline) for entrant in found) if agent]


def _tier(
    name: str,
    agents: Sequence[OnTier],
    baselines: Sequence[OnTier],
    settings: Settings,
    side_by_side: bool,
) -> Tier:
    ranks = Ranking({}, (), ()) if side_by_side else ranking(agents, settings)
    asked = ranked(standings(agents, settings), ranks)
    placed = in_order([*asked, *standings(baselines, settings)])
    by_label = {agent.label: agent for agent in (*agents, *baselines)}
    first, order = ([by_label[own.agent] for own in found] for found in (asked, placed))
    compared = [] if side_by_side else pairs(first, settings)
    others = [agent for agent in order if agent.baseline]
    bounded = (settings.metric.low, settings.metric.high) == (0.0, 1.0)
    profile = {
        agent.label: tuple(performance_profile(by_seed(values), TAUS).tolist())
        for agent in order
        if bounded and (values := agent.rows(settings.metric.name))
    }
    scored = [standing.agent for standing in asked if standing.n_seeds]
    return Tier(
        tier=name,
        standings=tuple(placed),
        pairs=tuple(compared),
        against=() if side_by_side else tuple(against(first, others, settings)),
        tied=() if side_by_side else tuple(tied(scored, compared, settings.alpha)),
        taus=TAUS if profile else (),
        profile=profile,
        notes=(*ranks.notes, *missing_samples(agents, settings)),
    )


def _agreements(tiers: Sequence[Tier]) -> Iterator[TierAgreement]:
    means = {
        tier.tier: {
            standing.agent: round(standing.mean.mean, _DECIMALS)
            for standing in tier.standings
            if standing.mean.mean is not None and not standing.baseline
        }
        for tier in tiers
    }
    for one, other in combinations(means, 2):
        agents = tuple(sorted(means[one].keys() & means[other].keys()))
        a, b = [means[one][agent] for agent in agents], [means[other][agent] for agent in agents]
        yield TierAgreement(one, other, agents, spearman(a, b), kendall(a, b))


def _incomplete(found: Sequence[Entrant]) -> Iterator[Incomplete]:
    for entrant in found:
        for episode in entrant.episodes:
            if not episode.complete:
                reason = episode.error or episode.end_reason.value
                yield Incomplete(entrant.label, episode.tier, episode.seed, episode.sample, reason)
        for key in entrant.unplayed:
            yield Incomplete(entrant.label, key.tier, key.seed, key.sample, "not played")
