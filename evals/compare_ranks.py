"""Ranks of the agents on one tier, on the seeds that all who are ranked have played."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from quantum_circuit_env.evals.compare_tiers import OnTier, Settings
from quantum_circuit_env.evals.comparison import Standing
from quantum_circuit_env.evals.counting import counted
from quantum_circuit_env.evals.metrics import by_seed
from quantum_circuit_env.evals.stats.paired import fewest_seeds
from quantum_circuit_env.evals.stats.ranks import Rank, rank_intervals
from quantum_circuit_env.evals.stats.shared import in_common, sharing
from quantum_circuit_env.evals.stats.values import Flag, in_flag_order

_NARROWED: Final = 0.8
"""Share of the seeds: if one agent leaves the others less of them, it is named."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """Who is ranked, and what there is to say of it.

    Attributes:
        ranks: of the agents that are ranked.
        left_out: agents with scores that share too few seeds with these.
        notes: what a reader has to know of both.
    """

    ranks: Mapping[str, Rank]
    left_out: tuple[str, ...]
    notes: tuple[str, ...]


def ranked(standings: Iterable[Standing], found: Ranking) -> list[Standing]:
    """Return standings with their ranks; a flag says of whom there is none."""
    return [
        replace(
            own,
            rank=found.ranks.get(own.agent),
            flags=in_flag_order((*own.flags, *([Flag.UNRANKED] if own.agent in found.left_out else ()))),
        )
        for own in standings
    ]


def ranking(agents: Sequence[OnTier], settings: Settings) -> Ranking:
    """Rank the agents that have scores and enough seeds in common."""
    rows = {agent.label: agent.rows(settings.metric.name) for agent in agents}
    seeds = {label: own.keys() for label, own in rows.items() if own}
    together = sharing(seeds, fewest_seeds(settings.alpha))
    shared = sorted(in_common(seeds, together))
    scores = {label: by_seed(rows[label], shared) for label in together}
    ranks = rank_intervals(settings.bootstraps[len(shared)], scores, level=settings.level)
    left_out = tuple(label for label in seeds if label not in together)
    return Ranking(ranks, left_out, tuple(_notes(seeds, together, left_out)))


def _notes(
    seeds: Mapping[str, Collection[int]], together: Sequence[str], left_out: Sequence[str]
) -> Iterator[str]:
    if seeds and not together:
        yield "no two agents have played the same seeds, so there are no ranks"
        return
    shared = in_common(seeds, together)
    told = counted(len(shared), "seed")
    if left_out:
        who = ", ".join(f"{label} ({len(shared.intersection(seeds[label]))})" for label in left_out)
        yield f"ranks are of the agents that share {told}; too few of these have {who}"
    if len(together) < 3:
        return
    without = {out: len(in_common(seeds, [one for one in together if one != out])) for out in together}
    short = max(without, key=without.__getitem__)
    if len(shared) < _NARROWED * without[short]:
        yield f"ranks are of {told} that all ranked agents have; without {short} it would be {without[short]}"
