"""What statistics are made of and what they give: score arrays, intervals, estimates, flags."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]

Target = Literal["population", "fixed"]
"""What an interval is of: `population`, other seeds of the same tier; `fixed`, a rerun on the same seeds."""

ROUNDING: Final = 1e-12
"""Relative difference below which two sums of scores are the same number."""


class StatsError(ValueError):
    """Raised for data of which the statistic asked for is not defined."""


class Flag(StrEnum):
    """What a reader has to know beside a number."""

    NO_DATA = "no_data"
    """There is no score: no mean, no interval."""
    SINGLE_TASK = "single_task"
    """One seed only: no interval for the population of seeds."""
    SINGLE_SAMPLE = "single_sample"
    """One sample a seed: no interval for a rerun on the same seeds."""
    CONSTANT_SCORES = "constant_scores"
    """Every seed has the same mean: the interval has no width, which is no proof of certainty."""
    IDENTICAL_SAMPLES = "identical_samples"
    """All samples of every seed are equal: more of them tell nothing, and neither does pass@k for k > 1."""
    INCOMPLETE = "incomplete"
    """Samples are missing."""
    NON_IID = "non_iid"
    """Attempts have seen earlier attempts: no pass@k."""
    CONSTANT_RANKING = "constant_ranking"
    """One of two rankings has all agents equal: no rank agreement."""
    UNRANKED = "unranked"
    """Too few seeds shared with the others: no rank."""
    TOO_FEW_AGENTS = "too_few_agents"
    """Fewer agents than a rank agreement needs."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval.

    Attributes:
        low, high: its ends, in the unit of the scores.
        level: nominal coverage, such as 0.95.
        target: what it is an interval of.
    """

    low: float
    high: float
    level: float
    target: Target


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number, how far it can be trusted, and what to know beside it.

    Attributes:
        mean: the point estimate: the mean, or what another statistic gives on the data; None without data.
        interval: its interval, which contains it; None where the flags say why there is none.
        flags: each at most once, in the order of Flag.
    """

    mean: float | None
    interval: Interval | None
    flags: tuple[Flag, ...] = ()


def score_matrix(scores: ArrayLike) -> FloatArray:
    """Return scores as a float array (n_seeds, n_samples), where one number a seed is one sample.

    Raises:
        StatsError: for another shape, no samples, or a score that is not finite: an unscored episode is left
            out or played again, and is no number.
    """
    matrix = np.ascontiguousarray(scores, dtype=np.float64)
    if matrix.ndim == 1:
        matrix = matrix[:, np.newaxis]
    if matrix.ndim != 2 or matrix.shape[1] == 0:
        raise StatsError(f"scores must have the shape (n_seeds, n_samples), got {np.shape(scores)}")
    unscored = int(np.size(matrix) - np.isfinite(matrix).sum())
    if unscored:
        raise StatsError(f"{unscored} of {matrix.size} scores are not finite: leave those episodes out")
    return matrix


def score_rows(scores: ArrayLike) -> FloatArray:
    """Return scores as (n_seeds, most samples of a seed), with NaN behind those of a seed that has fewer.

    Args:
        scores: what `score_matrix` takes, or a row for each seed, of one score or more.

    Raises:
        StatsError: as `score_matrix`: no NaN that comes in is taken for a sample that is missing.
    """
    if isinstance(scores, Sequence) and len({np.size(row) for row in scores}) > 1:
        rows = [score_matrix([row])[0] for row in scores]
        width = max(row.size for row in rows)
        return np.array([np.pad(row, (0, width - row.size), constant_values=np.nan) for row in rows])
    return score_matrix(scores)


def known(rows: FloatArray) -> FloatArray:
    """All scores that there are, seed by seed: (n_scores,) from what `score_rows` returns."""
    return rows[np.isfinite(rows)]


def means_of_rows(rows: FloatArray) -> FloatArray:
    """Mean of each row of the scores that there are: (…, n_rows) from (…, n_rows, n_samples)."""
    missing = np.isnan(rows)
    if not missing.any():
        return np.asarray(rows.mean(axis=-1), dtype=np.float64)
    return np.asarray(np.where(missing, 0.0, rows).sum(axis=-1) / (~missing).sum(axis=-1), dtype=np.float64)


def seed_means(scores: ArrayLike) -> FloatArray:
    """m_i, the mean over the samples of each seed: (n_seeds,) from scores as `score_rows` takes them."""
    return means_of_rows(score_rows(scores))


def same(values: ArrayLike) -> bool:
    """Whether all these numbers are one but for rounding."""
    numbers = np.asarray(values, dtype=np.float64)
    return bool(np.ptp(numbers) <= ROUNDING * np.abs(numbers).max()) if numbers.size else True


def data_flags(scores: ArrayLike, *, missing: int = 0, iid: bool = True) -> tuple[Flag, ...]:
    """Flags of scores.

    Args:
        scores: those that there are, as `score_rows` takes them.
        missing: number of samples that should be there and are not.
        iid: whether the samples of a seed are independent of each other.
    """
    rows = score_rows(scores)
    seeds, samples = rows.shape
    holds = {
        Flag.NO_DATA: seeds == 0,
        Flag.SINGLE_TASK: seeds == 1,
        Flag.CONSTANT_SCORES: seeds > 1 and same(means_of_rows(rows)),
        Flag.IDENTICAL_SAMPLES: seeds > 0 and samples > 1 and all(same(known(row)) for row in rows),
        Flag.INCOMPLETE: missing > 0,
        Flag.NON_IID: not iid,
    }
    return in_flag_order(flag for flag, held in holds.items() if held)


def in_flag_order(flags: Iterable[Flag]) -> tuple[Flag, ...]:
    """Return flags once each, in their order."""
    held = set(flags)
    return tuple(flag for flag in Flag if flag in held)
