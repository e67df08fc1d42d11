"""Statistics of ingested suites: pass@k with task-bootstrap intervals, Holm-adjusted pairs, rank agreement.

A suite is what a tier is elsewhere, and a task what a seed is: tasks are resampled with all their samples.
The metrics of a suite with verdicts are pass@1, pass@3 and pass@5; where attempts saw earlier ones,
sequential@1, @3 and @5, whether a task was solved within the first k. The metric of a suite with scores is
their mean, `score`. Pairs are adjusted within one suite and metric; agents that they do not tell apart are
tied, and ranks are those on the tasks that all ranked agents have; one that shares too few is in no rank.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import combinations, pairwise
from typing import Any, Final

from quantum_circuit_env.evals.ingest.records import SampleRecord
from quantum_circuit_env.evals.ingest.trust import check_evaluators
from quantum_circuit_env.evals.standings import Bootstraps, Standing, standings
from quantum_circuit_env.evals.stats.coverage import OracleUnion
from quantum_circuit_env.evals.stats.intervals import RESAMPLES
from quantum_circuit_env.evals.stats.paired import FLIPS
from quantum_circuit_env.evals.stats.ranks import Agreement, Rank, kendall, spearman
from quantum_circuit_env.evals.stats.values import Flag, in_flag_order
from quantum_circuit_env.evals.suite_pairs import Pair, pairs_of, ranks, tied

ALPHA: Final = 0.05
"""Chance of any false finding within one suite and metric."""

_DECIMALS: Final = 12
"""Means that agree to so many decimals are one rank."""


class RepeatedSampleError(ValueError):
    """Raised when two runs both have a sample."""


@dataclass(frozen=True, slots=True)
class Ties:
    """Agents on a suite by a metric that the pairs do not tell apart: groups, the best agents first."""

    suite: str
    metric: str
    groups: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class SuiteAgreement:
    """How far two suites put the agents that both have in the same order, by a metric that both have."""

    metric: str
    suite_a: str
    suite_b: str
    agents: tuple[str, ...]
    spearman: Agreement
    kendall: Agreement


@dataclass(frozen=True, slots=True)
class SuiteReport:
    """What was found: standings by suite, metric and falling mean; the rest by their names."""

    standings: tuple[Standing, ...]
    pairs: tuple[Pair, ...]
    ties: tuple[Ties, ...]
    agreements: tuple[SuiteAgreement, ...]

    def as_json(self) -> dict[str, Any]:
        """Return it as what `json.dumps` takes."""
        return asdict(
            self,
            dict_factory=lambda items: {
                key: value._asdict() if isinstance(value, Agreement | Rank | OracleUnion) else value
                for key, value in items
            },
        )


def suite_report(
    records: Iterable[SampleRecord],
    *,
    trust_unknown: bool = False,
    side_by_side: bool = False,
    resamples: int = RESAMPLES,
    flips: int = FLIPS,
    alpha: float = ALPHA,
) -> SuiteReport:
    """Return the statistics of all suites in the records.

    Args:
        records: of any number of runs; no key twice.
        trust_unknown: take evaluators that did not say their revision for the same one.
        side_by_side: standings only; one evaluator for each agent is enough for them.
        resamples: bootstrap resamples of the tasks.
        flips: random signs of the paired test, for more tasks than can be enumerated; at least as many as the
            smallest of so many adjusted p-values needs.
        alpha: chance of any false finding within one suite and metric.

    Raises:
        MixedEvaluatorsError: unless the samples of each suite may be compared.
        RepeatedSampleError: for a key that is there twice.
    """
    kept = sorted(records, key=lambda record: record.key)
    twice = [a.key for a, b in pairwise(kept) if a.key == b.key]
    if twice:
        raise RepeatedSampleError(f"the sample {tuple(twice[0])} is there twice: leave out one of its runs")
    for group in _compared(kept, side_by_side=side_by_side):
        check_evaluators(group, trust_unknown=trust_unknown)
    bootstraps = Bootstraps(resamples)
    found = sorted(standings(kept, bootstraps), key=_place)
    if side_by_side:
        return SuiteReport(tuple(found), (), (), ())
    families: dict[tuple[str, str], list[Standing]] = defaultdict(list)
    for standing in found:
        families[standing.suite, standing.metric].append(standing)
    pairs, ties = [], []
    for (suite, metric), family in families.items():
        own = pairs_of(family, bootstraps, flips=flips, alpha=alpha)
        pairs += own
        ties.append(Ties(suite, metric, tied(family, own, alpha)))
    ranked = [one for family in families.values() for one in _ranked(family, bootstraps, alpha)]
    return SuiteReport(tuple(ranked), tuple(pairs), tuple(ties), tuple(_agreements(families)))


def _ranked(family: list[Standing], bootstraps: Bootstraps, alpha: float) -> Iterator[Standing]:
    places = ranks(family, bootstraps, alpha)
    for standing in family:
        estimate, rank = standing.estimate, places.get(standing.agent_id)
        if estimate is not None and places and rank is None:
            estimate = replace(estimate, flags=in_flag_order((*estimate.flags, Flag.UNRANKED)))
        yield replace(standing, estimate=estimate, rank=rank)


def _compared(records: list[SampleRecord], *, side_by_side: bool) -> Iterable[list[SampleRecord]]:
    """Return the records whose results end up in one number: side by side, those of one agent only."""
    groups: dict[str | None, list[SampleRecord]] = defaultdict(list)
    for record in records:
        groups[record.agent_id if side_by_side else None].append(record)
    return groups.values()


def _place(standing: Standing) -> tuple[str, str, float, str]:
    mean = None if standing.estimate is None else standing.estimate.mean
    return standing.suite, standing.metric, float("inf") if mean is None else -mean, standing.agent_id


def _agreements(families: Mapping[tuple[str, str], list[Standing]]) -> Iterator[SuiteAgreement]:
    means = {
        key: {
            standing.agent_id: round(standing.estimate.mean, _DECIMALS)
            for standing in family
            if standing.estimate is not None and standing.estimate.mean is not None
        }
        for key, family in families.items()
    }
    for (suite_a, metric_a), (suite_b, metric_b) in combinations(sorted(means), 2):
        if metric_a != metric_b:
            continue
        first, second = means[suite_a, metric_a], means[suite_b, metric_b]
        agents = tuple(sorted(first.keys() & second.keys()))
        a, b = [first[agent] for agent in agents], [second[agent] for agent in agents]
        if agents:
            yield SuiteAgreement(metric_a, suite_a, suite_b, agents, spearman(a, b), kendall(a, b))
