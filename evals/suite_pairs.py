"""Pairs of agents on one ingested suite by one metric, and what the pairs do not tell apart."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from quantum_circuit_env.evals.standings import Bootstraps, Standing
from quantum_circuit_env.evals.stats.coverage import OracleUnion, oracle_union
from quantum_circuit_env.evals.stats.families import sign_flips_of
from quantum_circuit_env.evals.stats.multiplicity import holm
from quantum_circuit_env.evals.stats.paired import fewest_seeds
from quantum_circuit_env.evals.stats.planning import mde
from quantum_circuit_env.evals.stats.ranks import Rank, rank_intervals, tied_groups
from quantum_circuit_env.evals.stats.shared import in_common, sharing
from quantum_circuit_env.evals.stats.values import Estimate, FloatArray


@dataclass(frozen=True, slots=True)
class Pair:
    """Two agents on the tasks of a suite that both have.

    Attributes:
        shared, dropped: numbers of tasks that both have, and that only one of them has.
        difference: mean of a minus b over shared tasks, and its interval for the population of tasks.
        p, p_holm: of the paired sign-flip test, raw and adjusted; None without shared tasks.
        mde, mde_holm: smallest difference that this number of tasks finds with a power of 80 %, for the pair
            alone and among all of the family; None where so few tasks cannot find any.
        union: tasks that either solves; None without verdicts or shared tasks.
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
    mde: float | None
    mde_holm: float | None
    union: OracleUnion | None


def pairs_of(family: Sequence[Standing], bootstraps: Bootstraps, *, flips: int, alpha: float) -> list[Pair]:
    """Return the comparisons of one suite and metric, adjusted; the agents in the order of their names."""
    measured = sorted((s for s in family if s.estimate is not None), key=lambda s: s.agent_id)
    both = list(combinations(measured, 2))
    differences = [_differences(a, b) for a, b in both]
    p_values = sign_flips_of(differences, flips=flips)
    comparisons = max(1, sum(p is not None for p in p_values))
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
            mde=_detectable(d, alpha, 1),
            mde_holm=_detectable(d, alpha, comparisons),
            union=_union(a, b),
        )
        for (a, b), d, p, p_holm in zip(both, differences, p_values, holm(p_values), strict=True)
    ]


def _shared(*standings: Standing) -> list[str]:
    return sorted(set.intersection(*({*standing.by_task} for standing in standings))) if standings else []


def _differences(a: Standing, b: Standing) -> FloatArray:
    """a minus b on each task that both have: (n_shared,)."""
    return np.array([a.by_task[task] - b.by_task[task] for task in _shared(a, b)], dtype=np.float64)


def _detectable(differences: FloatArray, alpha: float, comparisons: int) -> float | None:
    if differences.size < 2:
        return None
    return mde(differences.size, float(differences.std(ddof=1)), alpha, comparisons=comparisons)


def _union(a: Standing, b: Standing) -> OracleUnion | None:
    tasks = _shared(a, b)
    if not tasks or not a.outcomes or not b.outcomes:
        return None
    return oracle_union(*([own.outcomes[task] for task in tasks] for own in (a, b)))


def ranks(family: Iterable[Standing], bootstraps: Bootstraps, alpha: float) -> dict[str, Rank]:
    """Return the ranks on one suite by one metric of the agents that share enough tasks to be ranked."""
    measured = {standing.agent_id: standing.by_task for standing in family if standing.estimate is not None}
    together = sharing({agent: own.keys() for agent, own in measured.items()}, fewest_seeds(alpha))
    tasks = sorted(in_common(measured, together))
    values = {agent: [measured[agent][task] for task in tasks] for agent in together}
    return rank_intervals(bootstraps[len(tasks)], values)


def tied(family: Iterable[Standing], pairs: Iterable[Pair], alpha: float) -> tuple[tuple[str, ...], ...]:
    """Return the groups of agents that no adjusted test tells apart, the best agents first."""
    order = [standing.agent_id for standing in family if standing.estimate is not None]
    apart = {
        frozenset((pair.a, pair.b)) for pair in pairs if pair.p_holm is not None and pair.p_holm <= alpha
    }
    return tuple(tied_groups(order, apart))
