"""What agents solve at all, alone and together.

`passed` are successes of agents on the same seeds in one order, (n_seeds, n_samples), or a row for each seed.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quantum_circuit_env.evals.stats.values import StatsError, known, score_rows


class OracleUnion(NamedTuple):
    """What two agents solve together, as if an oracle chose the one that does.

    Attributes:
        union: share of seeds that either solves with all its samples: n_A + n_B of them.
        gain: union − the larger of the agents' own coverages.
        only_first, only_second: number of seeds that one solves and the other does not.
        matched_union: union with the first ⌊n/2⌋ of the n samples of each agent; None where an agent has one
            sample only.
        matched_gain: matched_union − the larger of the agents' own coverages at the same cost, which is with
            as many samples as the two halves have together: their first 2 · ⌊n/2⌋ where both have n.
    """

    union: float
    gain: float
    only_first: int
    only_second: int
    matched_union: float | None
    matched_gain: float | None


def solved(passed: ArrayLike) -> NDArray[np.bool_]:
    """Whether any sample of a seed succeeded: (n_seeds,); StatsError unless each is 0 or 1."""
    return _solved(_outcomes(passed))


def _outcomes(passed: ArrayLike) -> NDArray[np.float64]:
    rows = score_rows(passed)
    if not np.isin(known(rows), (0, 1)).all():
        raise StatsError("coverage is of successes and failures, 1 and 0")
    return rows


def _solved(outcomes: NDArray[np.float64]) -> NDArray[np.bool_]:
    return np.asarray((outcomes == 1).any(axis=1), dtype=np.bool_)


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
    matched, alone = _matched(_outcomes(a), _outcomes(b))
    return OracleUnion(
        union=float(union),
        gain=float(union - best),
        only_first=int((first & ~second).sum()),
        only_second=int((second & ~first).sum()),
        matched_union=matched,
        matched_gain=None if matched is None or alone is None else matched - alone,
    )


def _matched(a: NDArray[np.float64], b: NDArray[np.float64]) -> tuple[float | None, float | None]:
    """Return the coverage of the first half of both together, and of the better one alone for as much."""
    halves = [rows.shape[1] // 2 for rows in (a, b)]
    if not all(halves):
        return None, None
    first, second = (_solved(rows[:, :half]) for rows, half in zip((a, b), halves, strict=True))
    alone = max(float(_solved(rows[:, : sum(halves)]).mean()) for rows in (a, b))
    return _share(first | second), alone


def union_of_all(*agents: ArrayLike) -> float | None:
    """Share of seeds that at least one of the agents solves; None without seeds."""
    return _share(np.logical_or.reduce([solved(passed) for passed in agents]))


def solved_by_none(*agents: ArrayLike) -> list[int]:
    """Rows of the seeds that none of the agents solves, ascending."""
    return [int(row) for row in np.flatnonzero(~np.logical_or.reduce([solved(passed) for passed in agents]))]


def _share(which: NDArray[np.bool_]) -> float | None:
    return float(which.mean()) if which.size else None
