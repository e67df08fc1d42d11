"""The statistics of suites as tables of text; names of others are on one line, without control characters."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from quantum_circuit_env.evals.ingest.errors import plain
from quantum_circuit_env.evals.report import words
from quantum_circuit_env.evals.standings import Standing
from quantum_circuit_env.evals.stats.values import Estimate
from quantum_circuit_env.evals.suite_pairs import Pair
from quantum_circuit_env.evals.suites import SuiteAgreement, SuiteReport

NONE = words.NONE


class TextTable(NamedTuple):
    """A table; every row has as many cells as there are columns. The first `names` columns are names."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    names: int = 1


def tables(report: SuiteReport) -> Iterator[TextTable]:
    """Yield the standings of each suite, then the pairs of each family, then the rank agreements."""
    groups = {(ties.suite, ties.metric): ties.groups for ties in report.ties}
    for suite in dict.fromkeys(standing.suite for standing in report.standings):
        own = [standing for standing in report.standings if standing.suite == suite]
        yield _standings(suite, own, groups.get((suite, own[0].metric)))
    for family in dict.fromkeys((pair.suite, pair.metric) for pair in report.pairs):
        yield _pairs(family, [pair for pair in report.pairs if (pair.suite, pair.metric) == family])
    if report.agreements:
        columns = ("metric", "suite", "suite", "agents", "Spearman's ρ", "Kendall's τ-b")
        rows = map(_agreement, report.agreements)
        yield _table("Do the suites rank the agents alike?", columns, rows, names=3)


def _table(
    title: str, columns: tuple[str, ...], rows: Iterable[tuple[str, ...]], *, names: int = 1
) -> TextTable:
    return TextTable(plain(title), columns, tuple(tuple(map(plain, row)) for row in rows), names)


def _standings(
    suite: str, standings: list[Standing], groups: tuple[tuple[str, ...], ...] | None
) -> TextTable:
    """Return who stands where; `groups` are those of the first metric, None side by side."""
    metrics = tuple(dict.fromkeys(standing.metric for standing in standings))
    found = {(standing.agent_id, standing.metric): standing for standing in standings}
    rows = []
    for agent in dict.fromkeys(standing.agent_id for standing in standings):
        own = [found[agent, metric] for metric in metrics]
        flags = dict.fromkeys(flag for one in own if one.estimate for flag in one.estimate.flags)
        place = () if groups is None else (words.rank(own[0].rank), _letters(agent, groups))
        estimates = (estimate(one.estimate) for one in own)
        shares = (words.percent(own[0].coverage), words.percent(own[0].valid_rate))
        counts = (str(own[0].n_tasks), str(own[0].n_samples))
        rows.append((agent, *place, *estimates, *shares, *counts, ", ".join(flags)))
    ranked = () if groups is None else (f"rank by {metrics[0]}", "tied")
    columns = ("agent", *ranked, *metrics, "tasks solved", "valid", "tasks", "samples", "flags")
    return _table(f"{suite}: 95 % intervals for other tasks of its kind", columns, rows)


def _letters(agent: str, groups: tuple[tuple[str, ...], ...]) -> str:
    """Return the letters of the groups an agent is in: those who share one are not told apart."""
    numbers = [number for number, group in enumerate(groups) if agent in group]
    return " ".join(chr(ord("a") + number) if number < 26 else f"z{number}" for number in numbers)


def estimate(value: Estimate | None) -> str:
    """Return mean and interval as text."""
    return NONE if value is None else words.interval(value)


def _pairs(family: tuple[str, str], pairs: list[Pair]) -> TextTable:
    detectable = ("detectable", "detectable, Holm")
    unions = ("either solves", "gain", "gain at same budget") if any(pair.union for pair in pairs) else ()
    columns = ("a", "b", "a − b", "p", "p, Holm", "shared tasks", "dropped", *detectable, *unions)
    rows = ((*_pair(pair), *(_union(pair) if unions else ())) for pair in pairs)
    return _table(f"{family[0]}: {family[1]}, pairs", columns, rows, names=2)


def _pair(pair: Pair) -> tuple[str, ...]:
    tests = (words.p_value(pair.p), words.p_value(pair.p_holm))
    counts = (str(pair.shared), str(pair.dropped))
    detectable = (words.number(pair.mde), words.number(pair.mde_holm))
    return (pair.a, pair.b, estimate(pair.difference), *tests, *counts, *detectable)


def _union(pair: Pair) -> tuple[str, ...]:
    if pair.union is None:
        return (NONE, NONE, NONE)
    return tuple(map(words.percent, (pair.union.union, pair.union.gain, pair.union.matched_gain)))


def _agreement(found: SuiteAgreement) -> tuple[str, ...]:
    orders = (words.agreement(found.spearman), words.agreement(found.kendall))
    return (found.metric, found.suite_a, found.suite_b, str(len(found.agents)), *orders)
