"""Scores of which some samples are missing: each number is that of the samples that there are."""

from itertools import product

import numpy as np
import pytest
from scipy import stats as scipy_stats

from quantum_circuit_env.evals import stats
from quantum_circuit_env.evals.stats import Flag, SeedBootstrap, StatsError

RNG = np.random.default_rng(11)
WHOLE = RNG.uniform(size=(30, 3)).round(2)
ROWS = [tuple(row[:2]) if seed in (4, 17) else tuple(row) for seed, row in enumerate(WHOLE.tolist())]
OTHER = [tuple(row[: 1 + seed % 3]) for seed, row in enumerate(RNG.uniform(size=(30, 3)).round(1).tolist())]
ALL = np.concatenate(ROWS)
MEANS = np.array([np.mean(row) for row in ROWS])


def ends(estimate: stats.Estimate) -> tuple[float, float]:
    assert estimate.interval is not None
    return estimate.interval.low, estimate.interval.high


def test_the_mean_is_of_the_seeds_and_the_interquartile_mean_of_all_samples() -> None:
    bootstrap = SeedBootstrap(30)
    assert bootstrap.mean(ROWS) == bootstrap.mean(MEANS)
    assert stats.iqm(ROWS) == pytest.approx(scipy_stats.trim_mean(ALL, 0.25))
    found = bootstrap.iqm(ROWS)
    assert found.mean == pytest.approx(stats.iqm(ROWS))
    assert ends(found) == pytest.approx(ends(bootstrap.iqm(WHOLE)), abs=0.02)


def test_the_interquartile_mean_of_each_resample_is_that_of_its_samples() -> None:
    rows = ROWS[3:6]
    bootstrap = SeedBootstrap(3)
    naive = [
        scipy_stats.trim_mean(np.concatenate([rows[seed] for seed in drawn]), 0.25)
        for drawn in product(range(3), repeat=3)
    ]
    assert sorted(bootstrap.draws_of(stats.iqm_of_each, rows)) == pytest.approx(sorted(naive))


def test_a_rerun_draws_as_many_samples_as_a_seed_has() -> None:
    reach = 1.96 * sum(np.var(row) / len(row) for row in ROWS) ** 0.5 / 30
    found = stats.fixed_seed_bootstrap(ROWS)
    assert found.flags == ()
    assert found.mean == pytest.approx(MEANS.mean())
    assert ends(found) == pytest.approx((MEANS.mean() - reach, MEANS.mean() + reach), abs=0.004)
    of_all = stats.fixed_seed_bootstrap(ROWS, stats.iqm_of_each)
    whole = stats.fixed_seed_bootstrap(WHOLE, stats.iqm_of_each)
    assert ends(of_all) == pytest.approx(ends(whole), abs=0.02)
    both = stats.fixed_seed_difference(ROWS, OTHER)
    spread = sum(np.var(row) / len(row) for row in (*ROWS, *OTHER)) ** 0.5 / 30
    assert both.mean == pytest.approx(MEANS.mean() - np.mean([np.mean(row) for row in OTHER]))
    assert ends(both)[1] - ends(both)[0] == pytest.approx(2 * 1.96 * spread, rel=0.05)


def test_samples_are_compared_seed_by_seed() -> None:
    by_hand = [
        np.mean([(x > y) + (x == y) / 2 for x, y in product(mine, theirs)])
        for mine, theirs in zip(ROWS, OTHER, strict=True)
    ]
    assert stats.improvement_by_seed(ROWS, OTHER) == pytest.approx(by_hand)
    profile = [np.mean(np.greater(ALL, tau)) for tau in (0.2, 0.5)]
    assert stats.performance_profile(ROWS, (0.2, 0.5)) == pytest.approx(profile)


def test_equal_samples_are_equal_where_some_are_missing() -> None:
    assert SeedBootstrap(2).mean([(0.5, 0.5), (0.1,)]).flags == (Flag.IDENTICAL_SAMPLES,)
    assert SeedBootstrap(2).mean([(0.5, 0.4), (0.1,)]).flags == ()


def test_a_pilot_knows_of_missing_samples() -> None:
    found, whole = stats.pilot(ROWS, OTHER), stats.pilot(WHOLE, OTHER)
    assert (found.samples_a, found.samples_b) == (3, 3)
    assert found.sigma2_a == pytest.approx(np.mean([np.var(row, ddof=1) for row in ROWS]))
    assert found.sigma2_b == pytest.approx(np.mean([np.var(row, ddof=1) for row in OTHER if len(row) > 1]))
    assert found.omega2 == pytest.approx(whole.omega2, abs=0.02)


def test_no_number_that_is_none_passes_for_a_missing_sample() -> None:
    for wrong in ([(0.1, float("nan")), (0.2,)], [(0.1, 0.2), ()]):
        with pytest.raises(StatsError):
            SeedBootstrap(2).mean(wrong)


@pytest.mark.parametrize("samples", [2, 3, 4, 5])
def test_the_same_budget_is_the_same_for_both_sides(samples: int) -> None:
    """Two agents of one skill gain nothing by being two, however many samples there are."""
    rng = np.random.default_rng(samples)
    gains = []
    for _ in range(400):
        skill = rng.uniform(size=(40, 1))
        a, b = (rng.uniform(size=(40, samples)) < skill for _ in range(2))
        found = stats.oracle_union(a, b)
        assert found is not None
        gains.append(found.matched_gain)
    # The better of two is better than one by chance, a little, on 40 seeds.
    assert -0.05 < np.mean(gains) < 0


def test_the_same_budget_by_hand() -> None:
    # Three samples each: the first ones solve both seeds together; with its first two, either solves one.
    found = stats.oracle_union([[1, 0, 0], [0, 0, 1]], [[0, 0, 0], [1, 0, 0]])
    assert found is not None
    assert (found.matched_union, found.matched_gain) == (1, 0.5)
    # Two and six samples: one and three together, so four of the second are as much.
    found = stats.oracle_union([[0, 1]], [[0, 0, 0, 0, 1, 0]])
    assert found is not None
    assert (found.matched_union, found.matched_gain) == (0, -1)
