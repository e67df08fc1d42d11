"""Whether the statistics keep their promises on simulated data: cover, and reject as often as they should."""

import numpy as np
import pytest
from scipy import stats as scipy_stats

from quantum_circuit_env.evals import stats
from quantum_circuit_env.evals.stats import SeedBootstrap

STUDIES = 500


@pytest.mark.parametrize(
    ("n", "low", "high"),
    [(50, 0.92, 0.965), (3, 0.69, 0.77)],
    ids=["enough seeds", "far too few"],
)
def test_the_interval_covers_the_true_mean_about_as_often_as_documented(
    n: int, low: float, high: float
) -> None:
    # Nominal 95 %: about 94 % on such scores at n = 50. The interval of three seeds is their range, which
    # misses the mean when all are on one side of it, in 27 % of the studies. The noise of 2000 is 0.5 to 1 %.
    rng = np.random.default_rng(20)
    bootstrap = SeedBootstrap(n, resamples=1000)
    covered = 0
    for _ in range(2000):
        score_of_seed = rng.beta(0.5, 1.0, n)  # skewed, with mean 1/3, as scores are
        samples = score_of_seed[:, np.newaxis] + rng.uniform(-0.05, 0.05, (n, 3))
        interval = bootstrap.mean(samples).interval
        assert interval is not None
        covered += interval.low <= 1 / 3 <= interval.high
    assert low <= covered / 2000 <= high


def test_the_sign_flip_rejects_a_true_null_as_often_as_alpha() -> None:
    rng = np.random.default_rng(21)
    rejected = sum(stats.sign_flip_of(rng.uniform(-1, 1, 20), flips=399).p <= 0.05 for _ in range(STUDIES))
    assert scipy_stats.binomtest(rejected, STUDIES, 0.05).pvalue > 0.001


def test_the_sign_flip_finds_what_the_plan_says_that_it_finds() -> None:
    rng = np.random.default_rng(22)
    n = stats.needed_seeds(0.05, 0.1)
    found = sum(stats.sign_flip_of(rng.normal(0.05, 0.1, n), flips=399).p <= 0.05 for _ in range(STUDIES))
    assert found / STUDIES == pytest.approx(0.8, abs=0.07)
