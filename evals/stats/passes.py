"""What k tries achieve: pass@k, pass^k and what to give where the tries are not independent."""

from collections.abc import Callable, Iterable
from math import comb

import numpy as np
from numpy.typing import ArrayLike

from quantum_circuit_env.evals.stats.values import FloatArray, StatsError


def pass_at_k(n: int, c: int, k: int) -> float | None:
    """Chance that at least one of k samples succeeds, when c of n have; unbiased.

    pass@k = 1 − C(n−c, k) / C(n, k), the share of k-subsets of the samples with a success in them
    (Chen et al. 2021, arXiv:2107.03374). None if k > n: there is no such subset, and n tries do not say what
    more would do.

    >>> pass_at_k(5, 2, 3), pass_at_k(3, 1, 5)
    (0.9, None)

    Raises:
        StatsError: unless 0 ≤ c ≤ n and k ≥ 1.
    """
    _check(n, c, k)
    # One division of exact integers: 1 less a quotient would put pass@1 of 1 in 5 below pass^1.
    return None if k > n else (comb(n, k) - comb(n - c, k)) / comb(n, k)


def pass_hat_k(n: int, c: int, k: int) -> float | None:
    """Chance that all of k samples succeed, when c of n have; unbiased.

    pass^k = C(c, k) / C(n, k) (Yao et al. 2024, arXiv:2406.12045; `pass_k` of Inspect, `pass_all_k` of
    verifiers). None if k > n.

    >>> pass_hat_k(5, 4, 3)
    0.4

    Raises:
        StatsError: unless 0 ≤ c ≤ n and k ≥ 1.
    """
    _check(n, c, k)
    return None if k > n else comb(c, k) / comb(n, k)


def _check(n: int, c: int, k: int) -> None:
    if not (0 <= c <= n and k >= 1):
        raise StatsError(f"k must be at least 1 and c in 0..n, got n={n}, c={c}, k={k}")


def pass_at_k_by_seed(passed: Iterable[ArrayLike], k: int) -> FloatArray | None:
    """pass@k of each seed: what to take the mean and the seed bootstrap of.

    Args:
        passed: which samples of each seed succeeded, (n_seeds, n_samples); rows may differ in length.
        k: number of tries.

    Returns:
        (n_seeds,), or None if a seed has fewer than k samples.
    """
    return _by_seed(pass_at_k, passed, k)


def pass_hat_k_by_seed(passed: Iterable[ArrayLike], k: int) -> FloatArray | None:
    """pass^k of each seed; arguments and result as of `pass_at_k_by_seed`."""
    return _by_seed(pass_hat_k, passed, k)


def _by_seed(
    estimator: Callable[[int, int, int], float | None], passed: Iterable[ArrayLike], k: int
) -> FloatArray | None:
    rows = [successes(row) for row in passed]
    values = [estimator(row.size, int(row.sum()), k) for row in rows]
    known = [value for value in values if value is not None]
    return np.array(known, dtype=np.float64) if len(known) == len(values) else None


def successes(row: ArrayLike) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Successes of one seed's samples, (n_samples,); StatsError unless each is 0 or 1."""
    outcomes = np.asarray(row)
    if outcomes.ndim != 1 or not np.isin(outcomes, (0, 1)).all():
        raise StatsError(f"the samples of a seed must be a row of successes and failures, got {row!r}")
    return outcomes.astype(np.bool_)


def sequential_at_k(passed: Iterable[ArrayLike], k: int) -> FloatArray | None:
    """Whether each seed was solved within its first k attempts: for attempts that have seen earlier ones.

    Such attempts are no independent samples, so pass@k is not defined for them. Arguments and result as of
    `pass_at_k_by_seed`; the order of a row is that of the attempts.
    """
    _check(k, 0, k)
    rows = [successes(row) for row in passed]
    if any(row.size < k for row in rows):
        return None
    return np.array([row[:k].any() for row in rows], dtype=np.float64)
