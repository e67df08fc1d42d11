"""What a reader has to know before believing a comparison."""

from collections.abc import Iterator, Sequence
from typing import Final

from quantum_circuit_env.evals.baselines import BASELINES, is_baseline
from quantum_circuit_env.evals.compare_tiers import Settings
from quantum_circuit_env.evals.comparison import Tier
from quantum_circuit_env.evals.entrants import Entrant
from quantum_circuit_env.evals.stats.paired import fewest_seeds
from quantum_circuit_env.evals.stats.values import Flag

__all__ = ["BASELINES", "warnings"]

FEW_SEEDS: Final = 20
"""Seeds below which intervals are clearly too narrow."""


def warnings(
    tiers: Sequence[Tier],
    found: Sequence[Entrant],
    settings: Settings,
    *,
    side_by_side: bool,
    no_baselines: str = "",
) -> Iterator[str]:
    """Yield the warnings, one line each; `no_baselines` says why there are none."""
    if side_by_side:
        yield "side by side: these runs are not compared, and a higher number need not be a better one"
    absent = [
        name for name in BASELINES if not any(is_baseline(entrant.fingerprint, name) for entrant in found)
    ]
    if absent:
        why = f" ({no_baselines})" if no_baselines else ""
        yield f"no baseline to read the numbers by: {', '.join(absent)} did not play{why}"
    if settings.target == "fixed":
        yield "intervals are for a rerun on the same seeds; tests, ranks and pass@k speak of other seeds"
    for tier in tiers:
        yield from (f"{tier.tier}: {told}" for told in _of_tier(tier, settings.alpha))
    for entrant in found:
        beaten = [e for e in entrant.episodes if e.norm_score is not None and e.norm_score > 1]
        if beaten:
            first = beaten[0]
            yield (
                f"{entrant.label} left fewer gates than the best known in {len(beaten)} episodes, first in "
                f"{first.tier} {first.seed}: {first.g} instead of {first.g_best}"
            )


def _of_tier(tier: Tier, alpha: float) -> Iterator[str]:
    yield from _seeds(tier, alpha)
    for standing in (own for own in tier.standings if not own.baseline):
        if standing.incomplete:
            yield f"{standing.agent}: {standing.incomplete} episodes are incomplete and count nowhere" + (
                f"; with them the mean is between {standing.bounds[0]:.3f} and {standing.bounds[1]:.3f}"
                if standing.bounds
                else ""
            )
        if standing.unscored:
            yield f"{standing.agent}: {standing.unscored} episodes have no such score"
        if Flag.IDENTICAL_SAMPLES in standing.flags:
            yield f"{standing.agent}: all samples of each seed are equal, so pass@k says no more than pass@1"
        if Flag.NON_IID in standing.flags:
            yield f"{standing.agent}: its samples know of each other, so there is no pass@k"
    dropped = [pair for pair in tier.pairs if pair.dropped]
    if dropped:
        most = max(dropped, key=lambda pair: pair.dropped)
        yield (
            f"{len(dropped)} of {len(tier.pairs)} pairs have not played the same seeds: those that both have "
            f"are compared; {most.a} and {most.b} drop {most.dropped}"
        )


def _seeds(tier: Tier, alpha: float) -> Iterator[str]:
    """Say how few seeds there are."""
    needed = fewest_seeds(alpha)
    shared = [pair.n_shared for pair in (*tier.pairs, *tier.against)]
    if shared and min(shared) < needed:
        yield (
            f"pairs with fewer than {needed} shared seeds cannot be significant: "
            f"the smallest p of n seeds is 2 / 2ⁿ"
        )
    counts = [standing.n_seeds for standing in tier.standings if standing.n_seeds]
    if counts and min(counts) < FEW_SEEDS:
        yield f"with {min(counts)} seeds, intervals are narrower than they should be"
