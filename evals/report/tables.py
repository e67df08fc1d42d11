"""The tables of a comparison as rows of text, the same for every form of it."""

from collections.abc import Collection, Iterable, Iterator
from itertools import chain
from typing import Final, NamedTuple

from quantum_circuit_env.evals.comparison import Comparison, Pair, Tier
from quantum_circuit_env.evals.metrics import METRICS
from quantum_circuit_env.evals.report import words
from quantum_circuit_env.evals.stats.coverage import OracleUnion


class Table(NamedTuple):
    """A table; every row has as many cells as there are columns.

    Attributes:
        names: that many of the first columns are names.
        note: how to read it.
        prose: whether the last column is a text of any length.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    names: int = 1
    note: str = ""
    prose: bool = False


def tables_of(tier: Tier, comparison: Comparison) -> Iterator[Table]:
    """Yield the tables of one tier."""
    yield standings(tier, comparison)
    yield further(tier, comparison)
    yield replies(tier)
    if tier.pairs:
        yield _pairs(f"{tier.tier}: pairs on shared seeds", tier.pairs, comparison)
    if tier.against:
        title = f"{tier.tier}: against the baselines, a family of tests of their own"
        yield _pairs(title, tier.against, comparison)
    if tier.pairs:
        yield _unions(f"{tier.tier}: seeds solved by either", tier.pairs)


def standings(tier: Tier, comparison: Comparison) -> Table:
    """Return who stands where."""
    ranked = not comparison.side_by_side
    metric = METRICS[comparison.metric]
    shown = {"score": "score", "score_without_bonus": "without bonus", "success_t1": "success@1"}
    shown.pop(metric.name, None)
    columns = (
        *("agent", *(("rank", "tied") if ranked else ()), metric.title, *shown.values()),
        *("seeds", "incomplete", "flags"),
    )
    rows = tuple(
        (
            words.agent(own),
            *((words.rank(own.rank), letters(own.agent, tier.tied)) if ranked else ()),
            words.interval(own.mean),
            *(words.interval(getattr(own, name)) for name in shown),
            str(own.n_seeds),
            str(own.incomplete),
            ", ".join(flag.replace("_", " ") for flag in own.flags),
        )
        for own in tier.standings
    )
    note = (
        "Behind a rank: its interval, between which ranks other seeds would put the agent." if ranked else ""
    )
    return Table(f"{tier.tier}: {words.target(comparison)}", columns, rows, note=note, prose=True)


def further(tier: Tier, comparison: Comparison) -> Table:
    """Return what else there is to say of each agent."""
    ks = sorted(set(chain.from_iterable(standing.pass_at for standing in tier.standings)) - {1})
    columns = (
        *("agent", f"IQM of {METRICS[comparison.metric].title}", "success@.5"),
        *(f"pass@{k}" for k in ks),
        *("legacy success", "return", "steps", "episodes"),
    )
    rows = tuple(
        (
            words.agent(own),
            words.interval(own.iqm),
            words.interval(own.success_t50),
            *(words.interval(own.pass_at[k]) if k in own.pass_at else words.NONE for k in ks),
            words.interval(own.legacy_success),
            words.interval(own.episode_return, 2),
            words.interval(own.steps, 1),
            str(own.n_samples),
        )
        for own in tier.standings
    )
    return Table(f"{tier.tier}: further numbers, {words.target(comparison)}", columns, rows)


def letters(agent: str, tied: Iterable[Collection[str]]) -> str:
    """Return the letters of the groups an agent is in: those who share one are not told apart."""
    groups = [number for number, group in enumerate(tied) if agent in group]
    return " ".join(chr(ord("a") + number) if number < 26 else f"z{number}" for number in groups)


def replies(tier: Tier) -> Table:
    """Return what the agents' replies were worth."""
    rows = tuple(
        (
            words.agent(own),
            words.percent(own.rates.valid_output),
            words.percent(own.rates.valid_action),
            words.percent(own.rates.legal_given_valid),
            words.percent(own.coverage),
            ", ".join(f"{kind} {count}" for kind, count in own.classes.items()),
        )
        for own in tier.standings
    )
    columns = ("agent", "valid outputs", "valid actions", "legal if valid", "seeds solved", "turns by class")
    return Table(f"{tier.tier}: replies and coverage", columns, rows, prose=True)


def _pairs(title: str, pairs: Iterable[Pair], comparison: Comparison) -> Table:
    columns = ("a", "b", "a − b", "p", "p, Holm", "P(a better)", "shared seeds", "dropped")
    detectable = ("detectable", "detectable, Holm")
    rows = tuple(
        (
            *(pair.a, pair.b, words.interval(pair.difference), words.p_value(pair.p)),
            *(words.p_value(pair.p_holm), words.number(pair.improvement, 2)),
            *(str(pair.n_shared), str(pair.dropped), words.number(pair.mde), words.number(pair.mde_holm)),
        )
        for pair in pairs
    )
    note = (
        f"Differences of {METRICS[comparison.metric].title}; in brackets: {words.target(comparison)}. "
        "Detectable: the true difference that so many seeds find four times in five."
    )
    return Table(title, (*columns, *detectable), rows, names=2, note=note)


UNION_COLUMNS: Final = ("together", "gain", "only a", "only b", "same budget", "gain at same budget")


def union_cells(found: OracleUnion) -> tuple[str, ...]:
    """Return what two agents solve together, in the order of UNION_COLUMNS."""
    return (
        *(words.percent(found.union), words.percent(found.gain)),
        *(str(found.only_first), str(found.only_second)),
        *(words.percent(found.matched_union), words.percent(found.matched_gain)),
    )


def _unions(title: str, pairs: Iterable[Pair]) -> Table:
    rows = tuple((pair.a, pair.b, *union_cells(pair.union)) for pair in pairs if pair.union is not None)
    return Table(title, ("a", "b", *UNION_COLUMNS), rows, names=2)


def together(tier: Tier) -> Table | None:
    """Return the share of seeds that two agents solve together, for all of them; None without pairs."""
    order = [own.agent for own in tier.standings if not own.baseline]
    unions = {(pair.a, pair.b): pair.union for pair in tier.pairs if pair.union is not None}
    if not unions:
        return None
    alone = {own.agent: own.coverage for own in tier.standings}

    def cell(row: str, column: str) -> str:
        if row == column:
            return words.percent(alone[row])
        if above := unions.get((row, column)):
            return words.percent(above.union)
        below = unions.get((column, row))
        return words.percent(below.matched_union) if below else words.NONE

    rows = tuple(
        (f"{number}. {row}", *(cell(row, column) for column in order))
        for number, row in enumerate(order, start=1)
    )
    note = (
        "Share of seeds that a pair solves with all samples of both (above the diagonal), and with the first "
        "half of each, which costs what one of them costs (below). On the diagonal: an agent alone."
    )
    columns = ("agent", *(f"with {number}" for number in range(1, len(order) + 1)))
    return Table(f"{tier.tier}: seeds solved by two together", columns, rows, note=note)


def overall(comparison: Comparison) -> Table | None:
    """Return the means over tiers, or None where not every run has declared them."""
    rows = tuple((words.agent(own), words.interval(own.mean)) for own in comparison.overall)
    tiers = ", ".join(tier.tier for tier in comparison.tiers)
    note = (
        "Declared before anything was played; each tier counts alike. In brackets: "
        f"{100 * comparison.level:g} % intervals for other seeds of these tiers."
    )
    columns = ("agent", METRICS[comparison.metric].title)
    return Table(f"Mean over {tiers}", columns, rows, note=note) if rows else None


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
    title = "Incomplete episodes, in no number above"
    return Table(title, columns, rows, names=2, prose=True) if rows else None
