"""The seed bootstrap: what a number would have been with other seeds of the same tier.

Percentile intervals throughout (Efron and Tibshirani 1993, "An introduction to the bootstrap", chapter 13).
Seeds are the unit of resampling, and what a seed's samples are is kept with it: the samples of one seed are
no independent evidence about the tier. At n = 50 seeds such an interval of nominal 95 % covers 92 to 94 %, at
n = 20 81 to 94 %, at n = 5 36 to 85 %.

Scores have the shape (n_seeds, n_samples), or (n_seeds,) for one sample a seed; where samples are missing
they are a row for each seed.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quantum_circuit_env.evals.stats.intervals import (
    CELLS,
    LEVEL,
    RESAMPLES,
    Statistic,
    block_sizes,
    percentile_interval,
)
from quantum_circuit_env.evals.stats.robust import iqm_of_each
from quantum_circuit_env.evals.stats.values import (
    Estimate,
    Flag,
    FloatArray,
    Interval,
    StatsError,
    data_flags,
    known,
    means_of_rows,
    same,
    score_rows,
)

_KEPT: Final = 32_000_000
"""Indices that are kept between uses, 64 MB; more are drawn again each time, the same ones."""


class SeedBootstrap:
    """Resamples of the seeds of one tier, shared by all agents and metrics on it.

    Common random numbers: equal data get equal intervals, and what two agents do in one resample can be
    compared, which pairs and ranks rely on. While there are at most `resamples` ways to draw n of n seeds,
    each of them is taken once (n ≤ 5 by default), and nothing is left to chance.

    Attributes:
        n_seeds: number of seeds n; the rows of every score array must be these seeds in one order.
        resamples: number of resamples B.
    """

    def __init__(
        self, n_seeds: int, *, resamples: int = RESAMPLES, rng_seed: int | Sequence[int] = 0
    ) -> None:
        if n_seeds < 0 or resamples < 1:
            raise StatsError(f"no bootstrap of {n_seeds} seeds with {resamples} resamples")
        self._enumerated = 0 < n_seeds < 10 and n_seeds**n_seeds <= resamples
        self._rng_seed = rng_seed
        self.n_seeds = n_seeds
        self.resamples = n_seeds**n_seeds if self._enumerated else resamples

    def draws(self, scores: ArrayLike) -> FloatArray:
        """Mean score in each resample: (resamples,)."""
        means = means_of_rows(self._rows_of(scores))
        return np.concatenate([means[rows].mean(axis=1) for rows in self._rows()])

    def draws_of(self, statistic: Statistic, scores: ArrayLike) -> FloatArray:
        """What a statistic is in each resample: (resamples,)."""
        matrix = self._rows_of(scores)
        blocks = (block for rows in self._rows() for block in _blocks(rows, matrix.shape[1]))
        return np.concatenate([statistic(matrix[block]) for block in blocks])

    def mean(
        self, scores: ArrayLike, *, level: float = LEVEL, missing: int = 0, iid: bool = True
    ) -> Estimate:
        """Mean score and its interval for the population of seeds.

        SE* = sqrt(Σ (m_i − m)²) / n, with m_i the mean of seed i.

        Args:
            scores: (n_seeds, n_samples), or a row for each seed.
            level: nominal coverage.
            missing: number of samples that should be there and are not, for the flags.
            iid: whether a seed's samples are independent, for the flags.
        """
        means = means_of_rows(self._rows_of(scores))
        flags = data_flags(scores, missing=missing, iid=iid)
        if not len(means):
            return Estimate(None, None, flags)
        value = float(means.mean())
        return Estimate(value, self._interval(lambda: self.draws(means), value, level), flags)

    def iqm(self, scores: ArrayLike, *, level: float = LEVEL) -> Estimate:
        """Interquartile mean of all scores and its interval for the population of seeds."""
        return self.estimate(iqm_of_each, scores, level=level)

    def estimate(self, statistic: Statistic, scores: ArrayLike, *, level: float = LEVEL) -> Estimate:
        """Any statistic of the scores and its interval for the population of seeds."""
        matrix = self._rows_of(scores)
        flags = data_flags(scores)
        if not len(matrix):
            return Estimate(None, None, flags)
        value = float(statistic(matrix[np.newaxis])[0])
        interval = self._interval(lambda: self.draws_of(statistic, scores), value, level)
        # Equal means of the seeds say nothing of a statistic that looks at single scores.
        constant = same(known(matrix))
        return Estimate(value, interval, tuple(f for f in flags if f is not Flag.CONSTANT_SCORES or constant))

    def difference(self, a: ArrayLike, b: ArrayLike, *, level: float = LEVEL) -> Estimate:
        """Mean of d_i = m_i(A) − m_i(B) over shared seeds, and its interval for the population of seeds.

        Arguments that change places change the signs, and nothing else.

        Args:
            a, b: scores (n_seeds, samples of each), or rows, of the same seeds in one order.
            level: nominal coverage.
        """
        first, second = (means_of_rows(self._rows_of(scores)) for scores in (a, b))
        return self.mean(first - second, level=level)

    def _interval(self, draws: Callable[[], FloatArray], value: float, level: float) -> Interval | None:
        return percentile_interval(draws(), value, level, "population") if self.n_seeds > 1 else None

    def _rows_of(self, scores: ArrayLike) -> FloatArray:
        matrix = score_rows(scores)
        if len(matrix) != self.n_seeds:
            raise StatsError(f"this bootstrap is of {self.n_seeds} seeds, the scores are of {len(matrix)}")
        return matrix

    def _rows(self) -> Iterator[NDArray[Any]]:
        """Indices of the seeds in each resample, in blocks (some resamples, n_seeds)."""
        if not self.n_seeds:
            raise StatsError("there are no seeds to resample")
        if self.resamples * self.n_seeds <= _KEPT:
            yield from self._kept
        else:
            yield from self._drawn()

    @cached_property
    def _kept(self) -> list[NDArray[Any]]:
        return list(self._drawn())

    def _drawn(self) -> Iterator[NDArray[Any]]:
        seeds = self.n_seeds
        kind = np.uint16 if seeds < 2**16 else np.int32
        if self._enumerated:
            yield np.indices((seeds,) * seeds, dtype=kind).reshape(seeds, -1).T
            return
        rng = np.random.default_rng(self._rng_seed)
        for count in block_sizes(self.resamples, seeds):
            yield rng.integers(seeds, size=(count, seeds), dtype=kind)


def _blocks(rows: NDArray[Any], samples: int) -> Iterator[NDArray[Any]]:
    most = max(1, CELLS // max(1, rows.shape[1] * samples))
    for start in range(0, len(rows), most):
        yield rows[start : start + most]
