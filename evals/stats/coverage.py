"""What agents solve at all, alone and together.

`passed` are successes, (n_seeds, n_samples), of agents on the same seeds in one order.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quantum_circuit_env.evals.stats.values import StatsError, score_matrix


class OracleUnion(NamedTuple):
    """What two agents solve together, as if an oracle chose the one that does.

    Attributes:
        union: share of seeds that either solves with all its samples: n_A + n_B of them.
        gain: union − the larger of the agents' own coverages.
        only_first, only_second: number of seeds that one solves and the other does not.
        matched_union: union with the first ⌊n/2⌋ samples of each agent, so at one agent's cost; None where an
            agent has one sample only.
        matched_gain: matched_union − the larger of the agents' own coverages with all samples.
    """

    union: float
    gain: float
    only_first: int
    only_second: int
    matched_union: float | None
    matched_gain: float | None


def solved(passed: ArrayLike) -> NDArray[np.bool_]:
    """Whether any sample of a seed succeeded: (n_seeds,); StatsError unless each is 0 or 1."""
    matrix = score_matrix(passed)
    if not np.isin(matrix, (0, 1)).all():
        raise StatsError("coverage is of successes and failures, 1 and 0")
    return np.asarray(matrix.any(axis=1))


def observed_coverage(passed: ArrayLike) -> float | None:
    """Share of seeds with at least one success among all n samples, the empirical pass@n; None without."""
    return _share(solved(passed))


def oracle_union(a: ArrayLike, b: ArrayLike) -> OracleUnion | None:
    """Coverage of two agents together, also at the cost of one; None without seeds.

    Raises:
        StatsError: if they have different numbers of seeds.
    """
    first, second = solved(a), solved(b)
    if first.size != second.size:
        raise StatsError(f"a union is on shared seeds, got {first.size} and {second.size}")
    if not first.size:
        return None
    best = max(first.mean(), second.mean())
    union = (first | second).mean()
    matched = _matched_union(score_matrix(a), score_matrix(b))
    return OracleUnion(
        union=float(union),
        gain=float(union - best),
        only_first=int((first & ~second).sum()),
        only_second=int((second & ~first).sum()),
        matched_union=matched,
        matched_gain=None if matched is None else float(matched - best),
    )


def _matched_union(a: NDArray[np.float64], b: NDArray[np.float64]) -> float | None:
    halves = [matrix[:, : matrix.shape[1] // 2] for matrix in (a, b)]
    if any(half.shape[1] == 0 for half in halves):
        return None
    return _share(solved(halves[0]) | solved(halves[1]))


def union_of_all(*agents: ArrayLike) -> float | None:
    """Share of seeds that at least one of the agents solves; None without seeds."""
    return _share(np.logical_or.reduce([solved(passed) for passed in agents]))


def solved_by_none(*agents: ArrayLike) -> list[int]:
    """Rows of the seeds that none of the agents solves, ascending."""
    return [int(row) for row in np.flatnonzero(~np.logical_or.reduce([solved(passed) for passed in agents]))]


def _share(which: NDArray[np.bool_]) -> float | None:
    return float(which.mean()) if which.size else None
