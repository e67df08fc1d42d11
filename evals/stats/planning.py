"""How many seeds a comparison needs, and what difference it can find: for the paired mean difference.

Two-sided tests of n differences d_i with standard deviation sd, one a shared seed. With `comparisons` the
level is alpha / comparisons, that of the strictest step of Holm's procedure.
"""

from math import ceil, isfinite, sqrt
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from quantum_circuit_env.evals.stats.extras import require
from quantum_circuit_env.evals.stats.paired import fewest_seeds, seed_differences
from quantum_circuit_env.evals.stats.values import FloatArray, StatsError, known, score_rows

ALPHA: Final = 0.05
POWER: Final = 0.8

_MOST_SEEDS: Final = 10**6
"""Beyond it the normal approximation is taken, which differs by z²/2, a few seeds."""


def paired_power(n: int, delta: float, sd: float, alpha: float = ALPHA, *, comparisons: int = 1) -> float:
    """Chance to find a true mean difference delta with n ≥ 2 seeds by the paired t test.

    P(|T| > t_{1−α/2, n−1}) of a noncentral t with n − 1 degrees of freedom and noncentrality δ √n / sd
    (Cohen 1988, "Statistical power analysis for the behavioral sciences", chapter 2). SciPy's nct is not a
    number in far tails: the lower tail counts as 0 there, the upper one is the normal distribution's.

    Raises:
        StatsError: for n < 2, a delta or sd that is negative, or levels outside (0, 1).
    """
    _check(delta, sd, alpha, POWER, comparisons)
    if n < 2:
        raise StatsError(f"a paired test needs two seeds, got {n}")
    if sd == 0:
        return 1.0 if delta > 0 else alpha / comparisons
    stats = require("scipy.stats", extra="eval")
    df, shift = n - 1, delta * sqrt(n) / sd
    critical = float(stats.t.isf(alpha / comparisons / 2, df))
    with np.errstate(all="ignore"):
        upper = float(stats.nct.sf(critical, df, shift))
        lower = float(stats.nct.cdf(-critical, df, shift))
    if not isfinite(upper):
        upper = float(stats.norm.sf(critical - shift))
    return min(1.0, upper + (lower if isfinite(lower) else 0.0))


def needed_seeds(
    delta: float, sd: float, alpha: float = ALPHA, power: float = POWER, *, comparisons: int = 1
) -> int:
    """Fewest seeds n whose `paired_power` for a true difference delta reaches `power`.

    Never fewer than `fewest_seeds`, below which the sign-flip test cannot be significant whatever the data.

    Raises:
        StatsError: for a delta that is not positive, a negative sd, or levels outside (0, 1).
    """
    start = max(2, fewest_seeds(alpha, comparisons))
    guess = max(start, needed_seeds_normal(delta, sd, alpha, power, comparisons=comparisons))
    if guess > _MOST_SEEDS:
        return guess
    high = guess
    while paired_power(high, delta, sd, alpha, comparisons=comparisons) < power:
        high *= 2
    low = start - 1
    while high - low > 1:
        middle = (low + high) // 2
        enough = paired_power(middle, delta, sd, alpha, comparisons=comparisons) >= power
        low, high = (low, middle) if enough else (middle, high)
    return high


def needed_seeds_normal(
    delta: float, sd: float, alpha: float = ALPHA, power: float = POWER, *, comparisons: int = 1
) -> int:
    """n = ((z_{1−α/2} + z_{power}) sd / δ)², rounded up: a few too few when n is small."""
    _check(delta, sd, alpha, power, comparisons)
    if delta <= 0:
        raise StatsError("no number of seeds finds a difference of nothing")
    return max(1, ceil(round((_reach(alpha, power, comparisons) * sd / delta) ** 2, 9)))


def needed_seeds_sampled(
    delta: float,
    omega2: float,
    sigma2_a: float,
    sigma2_b: float,
    samples_a: int = 1,
    samples_b: int = 1,
    alpha: float = ALPHA,
    power: float = POWER,
    *,
    comparisons: int = 1,
) -> int:
    """Seeds that are needed when each agent plays K samples a seed (Miller 2024, arXiv:2411.00640).

    n = (z_{1−α/2} + z_{power})² (ω² + σ_A²/K_A + σ_B²/K_B) / δ², rounded up.

    Args:
        delta: true mean difference to be found.
        omega2: ω², variance between seeds of the true differences.
        sigma2_a, sigma2_b: σ², mean variance of an agent's samples within a seed.
        samples_a, samples_b: K, samples a seed.
        alpha, power, comparisons: as of `needed_seeds`.
    """
    sd = sampled_sd(omega2, sigma2_a, sigma2_b, samples_a, samples_b)
    return needed_seeds_normal(delta, sd, alpha, power, comparisons=comparisons)


def mde(
    n: int, sd: float, alpha: float = ALPHA, power: float = POWER, *, comparisons: int = 1
) -> float | None:
    """Minimal detectable effect: the smallest true difference that n seeds find with chance `power`.

    Found on `paired_power` by bisection. None for fewer seeds than `fewest_seeds`: nothing is
    significant there.

    Raises:
        StatsError: for a negative sd, or levels outside (0, 1).
    """
    _check(0.0, sd, alpha, power, comparisons)
    if n < max(2, fewest_seeds(alpha, comparisons)):
        return None
    if sd == 0:
        return 0.0

    def lacking(effect: float) -> float:
        return paired_power(n, effect, 1.0, alpha, comparisons=comparisons) - power

    high = _reach(alpha, power, comparisons) / sqrt(n)
    while lacking(high) < 0:
        high *= 2
    if lacking(0.0) >= 0:
        return 0.0
    return sd * float(require("scipy.optimize", extra="eval").brentq(lacking, 0.0, high, xtol=1e-12))


def _reach(alpha: float, power: float, comparisons: int) -> float:
    """z_{1−α/2} + z_{power}, at least 0."""
    norm = require("scipy.stats", extra="eval").norm
    return max(0.0, float(norm.isf(alpha / comparisons / 2) + norm.ppf(power)))


def _check(delta: float, sd: float, alpha: float, power: float, comparisons: int) -> None:
    if not (0 <= delta < float("inf") and 0 <= sd < float("inf")):
        raise StatsError(f"delta and sd must be finite and not negative, got {delta} and {sd}")
    if not (0 < alpha < 1 and 0 < power < 1 and comparisons >= 1):
        raise StatsError(
            f"alpha and power must be in (0, 1), comparisons at least 1, got {alpha}, {power}, {comparisons}"
        )


class Pilot(NamedTuple):
    """Spread of the difference of two agents, as far as their runs tell it.

    Attributes:
        n_seeds: shared seeds.
        samples_a, samples_b: samples a seed K of each agent in the runs; where some are missing, the most.
        mean: mean difference.
        sd: standard deviation of the d_i as they are, at these sample counts.
        omega2: ω² of the true differences, at least 0; None with one sample a seed of either agent, which
            does not tell the spread between seeds from that within.
        sigma2_a, sigma2_b: mean variance within a seed (denominator K − 1), of the seeds with two samples or
            more; None without such seeds.
    """

    n_seeds: int
    samples_a: int
    samples_b: int
    mean: float
    sd: float
    omega2: float | None
    sigma2_a: float | None
    sigma2_b: float | None

    def sd_with(self, samples_a: int, samples_b: int) -> float | None:
        """Standard deviation of the d_i to expect with other numbers of samples; None if unknown."""
        if (samples_a, samples_b) == (self.samples_a, self.samples_b):
            return self.sd
        if self.omega2 is None or self.sigma2_a is None or self.sigma2_b is None:
            return None
        return sampled_sd(self.omega2, self.sigma2_a, self.sigma2_b, samples_a, samples_b)


def pilot(a: ArrayLike, b: ArrayLike) -> Pilot:
    """Estimate ω² and σ² from the runs of two agents on the same seeds (Miller 2024, arXiv:2411.00640).

    σ_A² = mean_i v_i(A); ω² = s_d² − σ_A²/K_A − σ_B²/K_B, unbiased before it is cut off at 0. Where samples
    are missing, 1/K is its mean over the seeds.

    Args:
        a, b: scores (n_seeds, K of each), or rows, of the same seeds in one order.

    Raises:
        StatsError: for fewer than two shared seeds.
    """
    first, second = score_rows(a), score_rows(b)
    differences = seed_differences(a, b)
    if differences.size < 2:
        raise StatsError(f"a pilot needs two shared seeds, got {differences.size}")
    within_a, within_b = _within(first), _within(second)
    samples_a, samples_b = first.shape[1], second.shape[1]
    spread = float(differences.var(ddof=1))
    omega2 = (
        None
        if within_a is None or within_b is None
        else max(0.0, spread - within_a * _per_sample(first) - within_b * _per_sample(second))
    )
    mean = float(differences.mean())
    return Pilot(differences.size, samples_a, samples_b, mean, sqrt(spread), omega2, within_a, within_b)


def _within(rows: FloatArray) -> float | None:
    """Mean variance of the samples of a seed; NaN stands for no sample."""
    variances = [values.var(ddof=1) for values in map(known, rows) if values.size > 1]
    return float(np.mean(variances)) if variances else None


def _per_sample(rows: FloatArray) -> float:
    """Mean over the seeds of 1/K."""
    return float((1 / np.isfinite(rows).sum(axis=1)).mean())


def sampled_sd(omega2: float, sigma2_a: float, sigma2_b: float, samples_a: int, samples_b: int) -> float:
    """Standard deviation of the d_i with K samples a seed: sqrt(ω² + σ_A²/K_A + σ_B²/K_B).

    Raises:
        StatsError: for a negative variance or fewer than one sample.
    """
    if min(omega2, sigma2_a, sigma2_b) < 0 or min(samples_a, samples_b) < 1:
        raise StatsError("variances must not be negative, and each agent needs a sample a seed")
    return sqrt(omega2 + sigma2_a / samples_a + sigma2_b / samples_b)
