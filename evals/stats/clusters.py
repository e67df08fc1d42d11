"""Standard errors of a mean by the central limit theorem, for scores that come in clusters."""

import numpy as np
from numpy.typing import ArrayLike

from quantum_circuit_env.evals.stats.extras import require
from quantum_circuit_env.evals.stats.intervals import LEVEL
from quantum_circuit_env.evals.stats.values import Interval, StatsError, seed_means


def standard_error(scores: ArrayLike) -> float | None:
    """SE = s / sqrt(n) of the mean of n seed means, with s their standard deviation (denominator n − 1).

    Args:
        scores: (n_seeds, n_samples), or (n_seeds,).

    Returns:
        None for fewer than two seeds.
    """
    means = seed_means(scores)
    return float(means.std(ddof=1) / np.sqrt(means.size)) if means.size > 1 else None


def t_interval(scores: ArrayLike, level: float = LEVEL) -> Interval | None:
    """m ± t · SE with n − 1 degrees of freedom (Student 1908, doi:10.1093/biomet/6.1.1).

    Arguments and None as of `standard_error`.
    """
    means = seed_means(scores)
    error = standard_error(means)
    if error is None:
        return None
    mean = float(means.mean())
    reach = float(require("scipy.stats", extra="eval").t.ppf((1 + level) / 2, means.size - 1)) * error
    return Interval(mean - reach, mean + reach, level, "population")


def cluster_standard_error(scores: ArrayLike, clusters: ArrayLike, *, finite: bool = True) -> float | None:
    """SE of the mean of N scores that are independent between clusters only, by statsmodels.

    sqrt(Σ_g (Σ_{i in g} (s_i − m))²) / N (Liang and Zeger 1986, doi:10.1093/biomet/73.1.13; Miller 2024,
    arXiv:2411.00640, section 2.2), times sqrt(G / (G − 1)) for G clusters if `finite`, as Inspect's
    `stderr(cluster=)`.

    Args:
        scores: (N,).
        clusters: which cluster each belongs to, (N,): the seed, for samples of one agent.
        finite: whether to correct for few clusters.

    Returns:
        None for fewer than two clusters.

    Raises:
        StatsError: if the shapes differ.
    """
    values = seed_means(scores)
    names, groups = np.unique(np.asarray(clusters), return_inverse=True)
    if groups.shape != values.shape:
        raise StatsError(f"each score needs a cluster, got {values.shape} and {groups.shape}")
    if names.size < 2:
        return None
    model = require("statsmodels.regression.linear_model", extra="eval").OLS(values, np.ones_like(values))
    options = {"groups": groups, "use_correction": False}
    error = float(model.fit(cov_type="cluster", cov_kwds=options).bse[0])
    return error * float(np.sqrt(names.size / (names.size - 1))) if finite else error
