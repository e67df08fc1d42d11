"""What a reader has to know before believing a comparison."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from quantum_circuit_env.evals.baselines import BASELINES, is_baseline
from quantum_circuit_env.evals.compare_tiers import Settings
from quantum_circuit_env.evals.comparison import Standing, Tier
from quantum_circuit_env.evals.counting import counted
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
    yield from _flagged(
        tiers,
        Flag.IDENTICAL_SAMPLES,
        "all samples of each seed are equal, so pass@k says no more than pass@1",
    )
    yield from _flagged(tiers, Flag.NON_IID, "samples know of each other, so there is no pass@k")
    for entrant in found:
        beaten = [e for e in entrant.episodes if e.norm_score is not None and e.norm_score > 1]
        if beaten:
            first = beaten[0]
            yield (
                f"{entrant.label} left fewer gates than the best known in {counted(len(beaten), 'episode')}, "
                f"first in {first.tier} {first.seed}: {first.g} instead of {first.g_best}"
            )


def _flagged(tiers: Sequence[Tier], flag: Flag, told: str) -> Iterator[str]:
    """Say in one line of whom a flag holds, and where."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for tier in tiers:
        for own in tier.standings:
            if flag in own.flags and not own.baseline:
                found[own.agent].append(tier.tier)
    if found:
        who = (f"{agent} on {', '.join(on)}" for agent, on in found.items())
        yield f"{told}: {'; '.join(who)}"


def _of_tier(tier: Tier, alpha: float) -> Iterator[str]:
    yield from _seeds(tier, alpha)
    for standing in (own for own in tier.standings if not own.baseline):
        if standing.incomplete:
            yield f"{standing.agent}: {_incomplete(standing)}"
        if standing.unscored:
            have = "has" if standing.unscored == 1 else "have"
            yield f"{standing.agent}: {counted(standing.unscored, 'episode')} {have} no such score"
    yield from tier.notes
    dropped = [pair for pair in tier.pairs if pair.dropped]
    if dropped:
        most = max(dropped, key=lambda pair: pair.dropped)
        yield (
            f"{len(dropped)} of {counted(len(tier.pairs), 'pair')} "
            f"{'has' if len(dropped) == 1 else 'have'} not played the same seeds: those that both have are "
            f"compared; {most.a} and {most.b} drop {most.dropped}"
        )


def _incomplete(standing: Standing) -> str:
    one = standing.incomplete == 1
    are, count, them = ("is", "counts", "it") if one else ("are", "count", "them")
    told = f"{counted(standing.incomplete, 'episode')} {are} incomplete and {count} nowhere"
    if standing.bounds is None:
        return told
    low, high = standing.bounds
    return f"{told}; with {them} the mean is between {low:.3f} and {high:.3f}"


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
    if 1 in counts:
        yield "one seed says nothing of other seeds, so there is no interval for them"
    several = [count for count in counts if count > 1]
    if several and min(several) < FEW_SEEDS:
        yield f"with {counted(min(several), 'seed')}, intervals are narrower than they should be"
