"""p-values of many comparisons at once.

A family is all unordered pairs of agents on one (suite, tier, metric). A comparison that could not be made is
None: it stays None, it does not count as one of the family, and it is reported.
"""

from collections.abc import Callable, Sequence
from math import ceil
from typing import Any

from quantum_circuit_env.evals.stats.extras import require
from quantum_circuit_env.evals.stats.values import StatsError


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Adjusted p-values that bound the chance of any false finding in the family (Holm 1979), by statsmodels.

    p̃_(i) = min(1, max_{j ≤ i} (m − j + 1) p_(j)) of the m sorted p-values ("A simple sequentially rejective
    multiple test procedure", Scandinavian Journal of Statistics 6:65–70).

    Args:
        p_values: those of one family, in any order.

    Returns:
        Adjusted ones in the same order, none below its own raw one.

    Raises:
        StatsError: for a value outside 0..1.
    """

    def adjust(known: list[float]) -> Any:
        return require("statsmodels.stats.multitest", extra="eval").multipletests(known, method="holm")[1]

    return _adjusted(p_values, adjust)


def benjamini_hochberg(p_values: Sequence[float | None]) -> list[float | None]:
    """Adjusted p-values that bound the expected share of false findings (Benjamini and Hochberg 1995).

    p̃_(i) = min_{j ≥ i} min(1, m p_(j) / j) (doi:10.1111/j.2517-6161.1995.tb02031.x). By SciPy. Arguments,
    result and errors as of `holm`; weaker than it, for screening.
    """

    def adjust(known: list[float]) -> Any:
        return require("scipy.stats", extra="eval").false_discovery_control(known, method="bh")

    return _adjusted(p_values, adjust)


def _adjusted(p_values: Sequence[float | None], adjust: Callable[[list[float]], Any]) -> list[float | None]:
    known = [p for p in p_values if p is not None]
    if not all(0 <= p <= 1 for p in known):
        raise StatsError(f"p-values are in 0..1, got {known}")
    # Rounding can put an adjusted value just below its own raw one.
    adjusted = iter(
        [max(float(p), raw) for p, raw in zip(adjust(known), known, strict=True)] if known else []
    )
    return [None if p is None else next(adjusted) for p in p_values]


def needed_flips(comparisons: int, alpha: float = 0.05) -> int:
    """Random sign flips below which the resolution of p blurs a family of so many comparisons: 20 · m / α.

    >>> needed_flips(105)
    42000
    """
    return ceil(round(20 * comparisons / alpha, 6))
