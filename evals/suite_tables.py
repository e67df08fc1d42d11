"""The statistics of suites as tables of text."""

from collections.abc import Iterator
from typing import NamedTuple

from quantum_circuit_env.evals.standings import Standing
from quantum_circuit_env.evals.stats.ranks import Agreement
from quantum_circuit_env.evals.stats.values import Estimate
from quantum_circuit_env.evals.suites import Pair, SuiteAgreement, SuiteReport

NONE = "–"


class TextTable(NamedTuple):
    """A table; every row has as many cells as there are columns."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def tables(report: SuiteReport) -> Iterator[TextTable]:
    """Yield the standings of each suite, then the pairs of each family, then the rank agreements."""
    for suite in dict.fromkeys(standing.suite for standing in report.standings):
        yield _standings(suite, [standing for standing in report.standings if standing.suite == suite])
    columns: tuple[str, ...] = ("a", "b", "shared tasks", "dropped", "a − b", "p", "p, Holm")
    for family in dict.fromkeys((pair.suite, pair.metric) for pair in report.pairs):
        rows = tuple(_pair(pair) for pair in report.pairs if (pair.suite, pair.metric) == family)
        yield TextTable(f"{family[0]}: {family[1]}, pairs", columns, rows)
    columns = ("metric", "suites", "agents", "Spearman's ρ", "Kendall's τ")
    if report.agreements:
        rows = tuple(map(_agreement, report.agreements))
        yield TextTable("Rank agreement between suites", columns, rows)


def _standings(suite: str, standings: list[Standing]) -> TextTable:
    metrics = tuple(dict.fromkeys(standing.metric for standing in standings))
    found = {(standing.agent_id, standing.metric): standing for standing in standings}
    rows = []
    for agent in dict.fromkeys(standing.agent_id for standing in standings):
        own = [found[agent, metric] for metric in metrics]
        flags = dict.fromkeys(flag for one in own if one.estimate for flag in one.estimate.flags)
        cells = (agent, str(own[0].n_tasks), str(own[0].n_samples), _number(own[0].valid_rate, 3))
        rows.append((*cells, *(estimate(one.estimate) for one in own), ", ".join(flags)))
    columns = ("agent", "tasks", "samples", "valid", *metrics, "flags")
    return TextTable(f"{suite}: intervals of 95 % for other tasks of its kind", columns, tuple(rows))


def estimate(value: Estimate | None) -> str:
    """Return mean and interval as text."""
    if value is None or value.mean is None:
        return NONE
    interval = value.interval
    return f"{value.mean:.3f}" + (f" [{interval.low:.3f}, {interval.high:.3f}]" if interval else "")


def _pair(pair: Pair) -> tuple[str, ...]:
    tests = (_number(pair.p, 4), _number(pair.p_holm, 4))
    return (pair.a, pair.b, str(pair.shared), str(pair.dropped), estimate(pair.difference), *tests)


def _agreement(found: SuiteAgreement) -> tuple[str, ...]:
    suites = f"{found.suite_a}, {found.suite_b}"
    return found.metric, suites, str(len(found.agents)), _value(found.spearman), _value(found.kendall)


def _value(found: Agreement) -> str:
    if found.value is None:
        return f"{NONE} ({', '.join(found.flags)})"
    return f"{found.value:.2f} (p {_number(found.p, 4)})"


def _number(value: float | None, decimals: int) -> str:
    return NONE if value is None else f"{value:.{decimals}f}"
