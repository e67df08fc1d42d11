"""The tables of a comparison as rows of text, the same for every form of it."""

from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from quantum_circuit_env.evals.comparison import Comparison, Pair, Standing, Tier
from quantum_circuit_env.evals.metrics import METRICS
from quantum_circuit_env.evals.report import words


class Table(NamedTuple):
    """A table; every row has as many cells as there are columns. The first `names` columns are words."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    names: int = 1


def tables_of(tier: Tier, comparison: Comparison) -> Iterator[Table]:
    """Yield the tables of one tier."""
    yield standings(tier, comparison)
    yield replies(tier)
    if tier.pairs:
        yield _pairs(tier)
        yield _unions(tier)


def standings(tier: Tier, comparison: Comparison) -> Table:
    """Return who stands where."""
    ks = sorted(set(chain.from_iterable(standing.pass_at for standing in tier.standings)) - {1})
    ranked = () if comparison.side_by_side else ("rank", "tied")
    columns = (
        *("agent", *ranked, METRICS[comparison.metric].title, "IQM", "success@1", "success@.5"),
        *(f"pass@{k}" for k in ks),
        *("score", "without bonus", "legacy success", "return", "steps", "seeds", "episodes"),
        *("incomplete", "flags"),
    )
    rows = tuple(_standing(standing, tier, ks, ranked=bool(ranked)) for standing in tier.standings)
    return Table(f"{tier.tier}: {words.target(comparison)}", columns, rows)


def _standing(own: Standing, tier: Tier, ks: list[int], *, ranked: bool) -> tuple[str, ...]:
    place = (words.rank(own.rank), letters(own.agent, tier)) if ranked else ()
    return (
        own.agent,
        *place,
        words.interval(own.mean),
        words.interval(own.iqm),
        words.interval(own.success_t1),
        words.interval(own.success_t50),
        *(words.interval(own.pass_at[k]) if k in own.pass_at else words.NONE for k in ks),
        words.interval(own.score),
        words.interval(own.score_without_bonus),
        words.mean(own.legacy_success),
        words.number(own.episode_return, 2),
        words.number(own.steps, 1),
        str(own.n_seeds),
        str(own.n_samples),
        str(own.incomplete),
        ", ".join(own.flags),
    )


def letters(agent: str, tier: Tier) -> str:
    """Return the letters of the groups an agent is in: those who share one are not told apart."""
    groups = [number for number, group in enumerate(tier.tied) if agent in group]
    return " ".join(chr(ord("a") + number) if number < 26 else f"z{number}" for number in groups)


def replies(tier: Tier) -> Table:
    """Return what the agents' replies were worth."""
    rows = tuple(
        (
            own.agent,
            words.percent(own.rates.valid_output),
            words.percent(own.rates.valid_action),
            words.percent(own.rates.legal_given_valid),
            words.percent(own.coverage),
            ", ".join(f"{kind} {count}" for kind, count in own.classes.items()),
        )
        for own in tier.standings
    )
    columns = ("agent", "valid outputs", "valid actions", "legal if valid", "seeds solved", "turns by class")
    return Table(f"{tier.tier}: replies and coverage", columns, rows)


def _pairs(tier: Tier) -> Table:
    columns = ("a", "b", "a − b", "p", "p, Holm", "P(a better)", "shared seeds", "dropped")
    detectable = ("detectable", "detectable, Holm")
    rows = tuple(
        (
            *(pair.a, pair.b, words.interval(pair.difference), words.p_value(pair.p)),
            *(words.p_value(pair.p_holm), words.number(pair.improvement, 2)),
            *(str(pair.n_shared), str(pair.dropped), words.number(pair.mde), words.number(pair.mde_holm)),
        )
        for pair in tier.pairs
    )
    return Table(f"{tier.tier}: pairs on shared seeds", (*columns, *detectable), rows, names=2)


def _unions(tier: Tier) -> Table:
    columns = ("a", "b", "both together", "gain", "only a", "only b", "same budget", "gain at same budget")
    rows = tuple(_union(pair) for pair in tier.pairs if pair.union is not None)
    return Table(f"{tier.tier}: seeds solved by either", columns, rows, names=2)


def _union(pair: Pair) -> tuple[str, ...]:
    found = pair.union
    if found is None:
        return ()
    return (
        *(pair.a, pair.b, words.percent(found.union), words.percent(found.gain)),
        *(str(found.only_first), str(found.only_second)),
        *(words.percent(found.matched_union), words.percent(found.matched_gain)),
    )


def agreements(comparison: Comparison) -> Table | None:
    """Return how far the tiers rank the agents alike, or None with one tier."""
    rows = tuple(
        (
            *(one.tier_a, one.tier_b, str(len(one.agents))),
            *(words.agreement(one.spearman), words.agreement(one.kendall)),
        )
        for one in comparison.agreements
    )
    columns = ("tier", "tier", "agents", "Spearman's ρ", "Kendall's τ-b")
    return Table("Do the tiers rank the agents alike?", columns, rows, names=2) if rows else None


def incomplete(comparison: Comparison) -> Table | None:
    """Return the incomplete episodes, or None if there are none."""
    rows = tuple(
        (each.agent, each.tier, str(each.seed), str(each.sample), each.reason)
        for each in comparison.incomplete
    )
    columns = ("agent", "tier", "seed", "sample", "reason")
    return Table("Incomplete episodes, in no number above", columns, rows, names=2) if rows else None
