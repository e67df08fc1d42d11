"""The statistics of suites as tables of text; names of others are on one line, without control characters."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from quantum_circuit_env.evals.ingest.errors import plain
from quantum_circuit_env.evals.report import words
from quantum_circuit_env.evals.report.tables import UNION_COLUMNS, Table, letters, union_cells
from quantum_circuit_env.evals.standings import Standing
from quantum_circuit_env.evals.stats.values import Estimate
from quantum_circuit_env.evals.suite_pairs import Pair
from quantum_circuit_env.evals.suites import SuiteAgreement, SuiteReport

NONE = words.NONE


def tables(report: SuiteReport) -> Iterator[Table]:
    """Yield the standings of each suite, the pairs of each family and what they solve, the agreements."""
    groups = {(ties.suite, ties.metric): ties.groups for ties in report.ties}
    for suite in dict.fromkeys(standing.suite for standing in report.standings):
        own = [standing for standing in report.standings if standing.suite == suite]
        yield _standings(suite, own, groups.get((suite, own[0].metric)))
    for family in dict.fromkeys((pair.suite, pair.metric) for pair in report.pairs):
        yield _pairs(family, [pair for pair in report.pairs if (pair.suite, pair.metric) == family])
    for suite, pairs in _solving(report.pairs).items():
        rows = ((pair.a, pair.b, *union_cells(pair.union)) for pair in pairs if pair.union is not None)
        yield _table(f"{suite}: tasks solved by either", ("a", "b", *UNION_COLUMNS), rows, names=2)
    if report.agreements:
        columns = ("metric", "suite", "suite", "agents", "Spearman's ρ", "Kendall's τ-b")
        agreements = map(_agreement, report.agreements)
        yield _table("Do the suites rank the agents alike?", columns, agreements, names=3)


def _solving(pairs: Iterable[Pair]) -> dict[str, list[Pair]]:
    """Return the pairs with verdicts of each suite, once: whatever the metric, any sample solves a task."""
    found: defaultdict[tuple[str, str], list[Pair]] = defaultdict(list)
    for pair in pairs:
        if pair.union is not None:
            found[pair.suite, pair.metric].append(pair)
    return {suite: found[suite, metric] for suite, metric in reversed(found)}


def _table(
    title: str,
    columns: tuple[str, ...],
    rows: Iterable[tuple[str, ...]],
    *,
    names: int = 1,
    prose: bool = False,
) -> Table:
    cells = tuple(tuple(map(plain, row)) for row in rows)
    return Table(plain(title), columns, cells, names=names, prose=prose)


def _standings(suite: str, standings: list[Standing], groups: tuple[tuple[str, ...], ...] | None) -> Table:
    """Return who stands where; `groups` are those of the first metric, None side by side."""
    first = standings[0].metric
    # A metric that nobody has enough samples for takes no room.
    told = (own.metric for own in standings if own.metric == first or own.estimate is not None)
    metrics = tuple(dict.fromkeys(told))
    found = {(standing.agent_id, standing.metric): standing for standing in standings}
    rows = []
    for agent in dict.fromkeys(standing.agent_id for standing in standings):
        own = [found[agent, metric] for metric in metrics]
        flags = dict.fromkeys(flag for one in own if one.estimate for flag in one.estimate.flags)
        place = () if groups is None else (words.rank(own[0].rank), letters(agent, groups))
        estimates = (estimate(one.estimate) for one in own)
        shares = (words.percent(own[0].coverage), words.percent(own[0].valid_rate))
        counts = (str(own[0].n_tasks), str(own[0].n_samples))
        rows.append((agent, *place, *estimates, *shares, *counts, ", ".join(flags)))
    ranked = () if groups is None else (f"rank by {metrics[0]}", "tied")
    columns = ("agent", *ranked, *metrics, "tasks solved", "valid", "tasks", "samples", "flags")
    return _table(f"{suite}: 95 % intervals for other tasks of its kind", columns, rows, prose=True)


def estimate(value: Estimate | None) -> str:
    """Return mean and interval as text."""
    return NONE if value is None else words.interval(value)


def _pairs(family: tuple[str, str], pairs: list[Pair]) -> Table:
    detectable = ("detectable", "detectable, Holm")
    columns = ("a", "b", "a − b", "p", "p, Holm", "shared tasks", "dropped", *detectable)
    return _table(f"{family[0]}: {family[1]}, pairs", columns, map(_pair, pairs), names=2)


def _pair(pair: Pair) -> tuple[str, ...]:
    tests = (words.p_value(pair.p), words.p_value(pair.p_holm))
    counts = (str(pair.shared), str(pair.dropped))
    detectable = (words.number(pair.mde), words.number(pair.mde_holm))
    return (pair.a, pair.b, estimate(pair.difference), *tests, *counts, *detectable)


def _agreement(found: SuiteAgreement) -> tuple[str, ...]:
    orders = (words.agreement(found.spearman), words.agreement(found.kendall))
    return (found.metric, found.suite_a, found.suite_b, str(len(found.agents)), *orders)
