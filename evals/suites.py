"""Statistics of ingested suites: pass@k with task-bootstrap intervals, Holm-adjusted pairs, rank agreement.

A suite is what a tier is elsewhere, and a task what a seed is: tasks are resampled with all their samples.
The metrics of a suite with verdicts are pass@1, pass@3 and pass@5; where attempts saw earlier ones,
sequential@1, @3 and @5, whether a task was solved within the first k. The metric of a suite with scores is
their mean, `score`. Pairs are adjusted within one suite and metric.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import combinations, pairwise
from typing import Any, Final

import numpy as np

from quantum_circuit_env.evals.ingest.records import SampleRecord
from quantum_circuit_env.evals.ingest.trust import check_evaluators
from quantum_circuit_env.evals.standings import Bootstraps, Standing, standings
from quantum_circuit_env.evals.stats.families import sign_flips
from quantum_circuit_env.evals.stats.intervals import RESAMPLES
from quantum_circuit_env.evals.stats.multiplicity import holm
from quantum_circuit_env.evals.stats.paired import FLIPS
from quantum_circuit_env.evals.stats.ranks import Agreement, kendall, spearman
from quantum_circuit_env.evals.stats.values import Estimate, FloatArray

_DECIMALS: Final = 12
"""Means that agree to so many decimals are one rank."""


class RepeatedSampleError(ValueError):
    """Raised when two runs both have a sample."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two agents on the tasks of a suite that both have.

    Attributes:
        shared, dropped: numbers of tasks that both have, and that only one of them has.
        difference: mean of a minus b over shared tasks, and its interval for the population of tasks.
        p, p_holm: of the paired sign-flip test, raw and adjusted; None without shared tasks.
    """

    suite: str
    metric: str
    a: str
    b: str
    shared: int
    dropped: int
    difference: Estimate
    p: float | None
    p_holm: float | None


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
    """What was found: standings by suite, metric and falling mean; pairs and agreements by their names."""

    standings: tuple[Standing, ...]
    pairs: tuple[Pair, ...]
    agreements: tuple[SuiteAgreement, ...]

    def as_json(self) -> dict[str, Any]:
        """Return it as what `json.dumps` takes."""
        return asdict(
            self,
            dict_factory=lambda items: {k: v._asdict() if isinstance(v, Agreement) else v for k, v in items},
        )


def suite_report(
    records: Iterable[SampleRecord],
    *,
    trust_unknown: bool = False,
    side_by_side: bool = False,
    resamples: int = RESAMPLES,
    flips: int = FLIPS,
) -> SuiteReport:
    """Return the statistics of all suites in the records.

    Args:
        records: of any number of runs; no key twice.
        trust_unknown: take evaluators that did not say their revision for the same one.
        side_by_side: standings only; one evaluator for each agent is enough for them.
        resamples: bootstrap resamples of the tasks.
        flips: random signs of the paired test, for more tasks than can be enumerated.

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
        return SuiteReport(tuple(found), (), ())
    families: dict[tuple[str, str], list[Standing]] = defaultdict(list)
    for standing in found:
        families[standing.suite, standing.metric].append(standing)
    pairs = [pair for family in families.values() for pair in _pairs(family, bootstraps, flips)]
    return SuiteReport(tuple(found), tuple(pairs), tuple(_agreements(families)))


def _compared(records: list[SampleRecord], *, side_by_side: bool) -> Iterable[list[SampleRecord]]:
    """Return the records whose results end up in one number: side by side, those of one agent only."""
    groups: dict[str | None, list[SampleRecord]] = defaultdict(list)
    for record in records:
        groups[record.agent_id if side_by_side else None].append(record)
    return groups.values()


def _place(standing: Standing) -> tuple[str, str, float, str]:
    mean = None if standing.estimate is None else standing.estimate.mean
    return standing.suite, standing.metric, float("inf") if mean is None else -mean, standing.agent_id


def _pairs(family: list[Standing], bootstraps: Bootstraps, flips: int) -> list[Pair]:
    """Return the comparisons of one family, adjusted."""
    measured = sorted((s for s in family if s.estimate is not None), key=lambda s: s.agent_id)
    both = list(combinations(measured, 2))
    differences = [_differences(a, b) for a, b in both]
    p_values = _p_values(differences, flips)
    return [
        Pair(
            suite=a.suite,
            metric=a.metric,
            a=a.agent_id,
            b=b.agent_id,
            shared=len(d),
            dropped=len(a.by_task.keys() ^ b.by_task.keys()),
            difference=bootstraps[len(d)].mean(d),
            p=p,
            p_holm=p_holm,
        )
        for (a, b), d, p, p_holm in zip(both, differences, p_values, holm(p_values), strict=True)
    ]


def _differences(a: Standing, b: Standing) -> FloatArray:
    """a minus b on each task that both have: (n_shared,)."""
    shared = sorted(a.by_task.keys() & b.by_task.keys())
    return np.array([a.by_task[task] - b.by_task[task] for task in shared], dtype=np.float64)


def _p_values(differences: list[FloatArray], flips: int) -> list[float | None]:
    """Return the p-value of each comparison, None without tasks; those of one size share their signs."""
    found: list[float | None] = [None] * len(differences)
    for size in {len(d) for d in differences} - {0}:
        members = [index for index, d in enumerate(differences) if len(d) == size]
        values = sign_flips(np.array([differences[index] for index in members]), flips=flips)
        for index, value in zip(members, values.tolist(), strict=True):
            found[index] = value
    return found


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
