"""What the statistics promise of all data, not of examples."""

import gc
from collections.abc import Iterator
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats as scipy_stats

from quantum_circuit_env.evals import stats
from quantum_circuit_env.evals.stats import SeedBootstrap

SCORES = st.one_of(
    st.floats(0, 1, allow_subnormal=False),
    st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0]),  # ties
)
MATRICES = arrays(np.float64, st.tuples(st.integers(1, 12), st.integers(1, 4)), elements=SCORES)
DIFFERENCES = arrays(np.float64, st.integers(1, 9), elements=st.one_of(st.floats(-1, 1), st.integers(-2, 2)))
COUNTS = st.integers(1, 40).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n + 3)))
P_VALUES = st.lists(st.one_of(st.floats(0, 1), st.sampled_from([0.01, 0.05])), min_size=1, max_size=12)


@pytest.fixture(scope="module", autouse=True)
def old_objects_left_alone() -> Iterator[None]:
    """statsmodels collects garbage at each `holm`, which takes the longer the more objects there are."""
    stats.holm([0.5])  # imports it
    gc.freeze()
    yield
    gc.unfreeze()


def holds(interval: stats.Interval, value: float | None) -> bool:
    return value is not None and interval.low <= value <= interval.high


@given(COUNTS)
def test_pass_at_k_is_the_hypergeometric_chance_and_null_beyond_n(counts: tuple[int, int, int]) -> None:
    n, c, k = counts
    some, every = stats.pass_at_k(n, c, k), stats.pass_hat_k(n, c, k)
    if k > n:
        assert some is None
        assert every is None
    else:
        assert some == pytest.approx(scipy_stats.hypergeom.sf(0, n, c, k), abs=1e-9)
        assert every == pytest.approx(scipy_stats.hypergeom.pmf(k, n, c, k), abs=1e-9)
        assert every is not None
        assert some is not None
        assert every <= some


@given(COUNTS)
def test_pass_at_k_rises_in_k_and_in_c_and_pass_hat_k_falls_in_k(counts: tuple[int, int, int]) -> None:
    n, c, _ = counts
    for c_low, c_high in [(c, c), (c, min(n, c + 1))]:
        low = [stats.pass_at_k(n, c_low, k) for k in range(1, n + 1)]
        high = [stats.pass_at_k(n, c_high, k) for k in range(1, n + 1)]
        pairs = zip(low, high, strict=True)
        assert all(one is not None and other is not None and one <= other for one, other in pairs)
        assert low == sorted(low)
    every = [stats.pass_hat_k(n, c, k) for k in range(1, n + 1)]
    assert every == sorted(every, reverse=True)


@given(st.lists(st.booleans(), min_size=1, max_size=7), st.integers(1, 7))
def test_pass_at_k_is_the_share_of_subsets_with_a_success(passed: list[bool], k: int) -> None:
    subsets = list(combinations(passed, k))
    if subsets:
        share = sum(map(any, subsets)) / len(subsets)
        assert stats.pass_at_k(len(passed), sum(passed), k) == pytest.approx(share, abs=1e-12)
        assert stats.pass_at_k_by_seed([passed], k) == pytest.approx([share], abs=1e-12)
        whole = sum(map(all, subsets)) / len(subsets)
        assert stats.pass_hat_k_by_seed([passed], k) == pytest.approx([whole], abs=1e-12)
    else:
        assert stats.pass_at_k_by_seed([passed], k) is None


@given(MATRICES, st.sampled_from([0.5, 0.9, 0.95]))
def test_every_interval_contains_its_estimate(scores: Any, level: float) -> None:
    bootstrap = SeedBootstrap(len(scores), resamples=200)
    estimates = [
        bootstrap.mean(scores, level=level),
        bootstrap.iqm(scores, level=level),
        bootstrap.difference(scores, scores[::-1], level=level),
        stats.fixed_seed_bootstrap(scores, resamples=200, level=level),
        stats.fixed_seed_bootstrap(scores, stats.iqm_of_each, resamples=200, level=level),
        stats.hierarchical_bootstrap(scores, resamples=200, level=level),
        stats.macro_average([scores, scores[:1].repeat(2, axis=0)], resamples=200, level=level),
    ]
    without_interval = [estimate for estimate in estimates if estimate.interval is None]
    for estimate in estimates:
        assert estimate.interval is None or holds(estimate.interval, estimate.mean)
    assert bool(without_interval) == (1 in scores.shape)


@given(st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_of_a_share_contains_it(counts: tuple[int, int]) -> None:
    for interval in (stats.wilson(*counts), stats.clopper_pearson(*counts)):
        assert interval is not None
        assert holds(interval, counts[0] / counts[1])
        assert 0 <= interval.low <= interval.high <= 1


@given(MATRICES)
def test_the_same_data_under_two_names_get_the_same_interval(scores: Any) -> None:
    bootstrap = SeedBootstrap(len(scores), resamples=300)
    transposed = np.asfortranarray(scores)
    assert bootstrap.mean(scores) == bootstrap.mean(transposed) == bootstrap.mean(scores.tolist())
    assert bootstrap.iqm(scores) == bootstrap.iqm(transposed)
    assert stats.fixed_seed_bootstrap(scores) == stats.fixed_seed_bootstrap(transposed)
    ranks = stats.rank_intervals(bootstrap, {"one": scores, "other": transposed, "third": scores[::-1]})
    assert ranks["one"] == ranks["other"]


@given(MATRICES, st.integers(0, 2**32))
def test_another_bootstrap_of_the_same_seed_draws_the_same(scores: Any, rng_seed: int) -> None:
    first, second = (SeedBootstrap(len(scores), resamples=50, rng_seed=rng_seed) for _ in range(2))
    second.mean(scores[::-1])  # earlier use changes nothing
    assert first.mean(scores) == second.mean(scores)


@given(MATRICES, st.data())
def test_a_difference_changes_its_sign_with_its_arguments(a: Any, data: Any) -> None:
    b = data.draw(arrays(np.float64, a.shape, elements=SCORES))
    bootstrap = SeedBootstrap(len(a), resamples=200)
    there, back = bootstrap.difference(a, b), bootstrap.difference(b, a)
    assert there.mean is not None
    assert back.mean == -there.mean
    assert there.flags == back.flags
    if there.interval is not None and back.interval is not None:
        assert (back.interval.low, back.interval.high) == (-there.interval.high, -there.interval.low)


@given(MATRICES, st.data(), st.sampled_from([0, 16]))
def test_the_sign_flip_is_symmetric_in_its_arguments(a: Any, data: Any, exact_up_to: int) -> None:
    b = data.draw(arrays(np.float64, (len(a), 2), elements=SCORES))
    there = stats.sign_flip(a, b, exact_up_to=exact_up_to, flips=499)
    back = stats.sign_flip(b, a, exact_up_to=exact_up_to, flips=499)
    assert there.p == back.p
    assert there.mean_difference is not None
    assert back.mean_difference == -there.mean_difference


@given(DIFFERENCES)
def test_the_exact_sign_flip_equals_enumeration(d: Any) -> None:
    tie = 1e-12 * np.abs(d).sum()
    sums = [
        abs(sum(s * x for s, x in zip(signs, d, strict=True))) for signs in product((1, -1), repeat=d.size)
    ]
    share = sum(total >= abs(d.sum()) - tie for total in sums) / len(sums)
    found = stats.sign_flip_of(d)
    assert found.p == pytest.approx(share, abs=1e-12)
    assert found.p is not None
    assert found.p >= stats.smallest_p(d.size)


@settings(max_examples=15)
@given(arrays(np.float64, st.integers(6, 12), elements=st.integers(-5, 5)))
def test_random_signs_agree_with_all_signs(d: Any) -> None:
    exact, drawn = stats.sign_flip_of(d).p, stats.sign_flip_of(d, exact_up_to=0, flips=20_000).p
    assert drawn == pytest.approx(exact, abs=5 * 0.5 / np.sqrt(20_000))


@settings(max_examples=15)
@given(arrays(np.float64, st.integers(2, 7), elements=st.integers(-5, 5)))
def test_the_exact_sign_flip_is_scipy_s(d: Any) -> None:
    # Whole numbers have exact sums: where they have not, SciPy's test knows no ties at zero.
    other = scipy_stats.permutation_test(
        (d,), np.mean, permutation_type="samples", n_resamples=np.inf, vectorized=True
    )
    assert stats.sign_flip_of(d).p == pytest.approx(min(1.0, other.pvalue), abs=1e-12)


@given(st.integers(0, 7), st.integers(0, 7))
def test_mcnemar_is_the_sign_flip_of_outcomes(only_a: int, only_b: int) -> None:
    d = [1] * only_a + [-1] * only_b
    expected = stats.sign_flip_of(d).p if d else 1.0
    assert stats.mcnemar_p(only_a, only_b) == pytest.approx(expected, abs=1e-12)


@given(P_VALUES)
def test_holm_is_its_formula_and_at_least_the_raw_value(p_values: list[float]) -> None:
    m, order = len(p_values), np.argsort(p_values, kind="stable")
    steps = [(m - place) * p_values[index] for place, index in enumerate(order)]
    expected = {int(index): min(1.0, max(steps[: place + 1])) for place, index in enumerate(order)}
    found = stats.holm(p_values)
    assert found == pytest.approx([expected[index] for index in range(m)], abs=1e-12)
    assert all(
        adjusted is not None and adjusted >= raw for adjusted, raw in zip(found, p_values, strict=True)
    )
    weaker = stats.benjamini_hochberg(p_values)
    assert all(
        one is not None and other is not None and one <= other + 1e-12
        for one, other in zip(weaker, found, strict=True)
    )


@given(st.lists(st.one_of(st.none(), st.floats(0, 1)), max_size=8))
def test_a_missing_comparison_is_none_and_does_not_count(p_values: list[float | None]) -> None:
    found = stats.holm(p_values)
    assert [adjusted is None for adjusted in found] == [p is None for p in p_values]
    known = [p for p in p_values if p is not None]
    assert [adjusted for adjusted in found if adjusted is not None] == stats.holm(known)


@given(st.lists(MATRICES.filter(lambda scores: len(scores) >= 3), min_size=1, max_size=4))
def test_rank_intervals_contain_the_rank(agents: list[Any]) -> None:
    rows = min(map(len, agents))
    scores = {f"agent {number}": matrix[:rows] for number, matrix in enumerate(agents)}
    means = [matrix.mean() for matrix in scores.values()]
    found = stats.rank_intervals(SeedBootstrap(rows, resamples=200), scores)
    for mean, rank in zip(means, found.values(), strict=True):
        assert rank.rank == 1 + sum(other > mean + 1e-11 for other in means)
        assert rank.interval is not None
        assert holds(rank.interval, rank.rank)
        assert 1 <= rank.interval.low <= rank.interval.high <= len(agents)


@given(st.integers(1, 7).flatmap(lambda n: st.tuples(st.just(n), st.sets(st.tuples(
    st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda pair: pair[0] < pair[1])))))  # fmt: skip
def test_agents_share_a_group_exactly_when_they_are_not_separated(
    drawn: tuple[int, set[tuple[int, int]]],
) -> None:
    agents = [f"agent {number}" for number in range(drawn[0])]
    separated = {frozenset((agents[one], agents[other])) for one, other in drawn[1]}
    groups = stats.tied_groups(agents, separated)
    for pair in combinations(agents, 2):
        together = any(set(pair) <= set(group) for group in groups)
        assert together == (frozenset(pair) not in separated)
    assert set().union(*groups) == set(agents)
    assert not any(set(one) < set(other) for one in groups for other in groups)
    assert groups == sorted(groups)


@given(MATRICES)
def test_the_iqm_of_many_is_that_of_each(scores: Any) -> None:
    assert stats.iqm_of_each(np.array([scores, scores + 1])) == pytest.approx(
        [stats.iqm(scores), stats.iqm(scores) + 1], abs=1e-12
    )


@given(MATRICES)
def test_improvement_counts_pairs_and_a_profile_falls(scores: Any) -> None:
    other = scores[:, ::-1] ** 2
    share = np.mean(
        [[(x > y) + (x == y) / 2 for x, y in product(a, b)] for a, b in zip(scores, other, strict=True)]
    )
    found = stats.probability_of_improvement(scores, other)
    assert found == pytest.approx(share, abs=1e-12)
    assert stats.probability_of_improvement(other, scores) == pytest.approx(1 - found, abs=1e-12)
    profile = stats.performance_profile(scores, np.linspace(-0.1, 1, 12))
    assert profile[0] == 1
    assert profile[-1] == 0
    assert np.all(np.diff(profile) <= 0)


@given(
    st.integers(3, 6).flatmap(lambda n: st.tuples(*[st.lists(st.integers(0, 3), min_size=n, max_size=n)] * 2))
)
def test_rank_agreement_is_symmetric_and_its_p_value_is_one_of_the_orders(pair: Any) -> None:
    a, b = pair
    for agreement in (stats.spearman, stats.kendall):
        there, back = agreement(a, b), agreement(b, a)
        assert there.value == pytest.approx(back.value, abs=1e-12, nan_ok=False)
        assert there.p == pytest.approx(back.p, abs=1e-12)
        assert (there.value is None) == (len(set(a)) == 1 or len(set(b)) == 1)
        assert there.p is None or 0 < there.p <= 1
    counts = stats.pair_counts(a, b)
    assert sum(counts) == len(a) * (len(a) - 1) // 2


@given(MATRICES, st.data())
def test_a_union_is_what_either_solves(scores: Any, data: Any) -> None:
    a = scores > 0.5
    b = data.draw(arrays(np.bool_, (len(a), 3)))
    found = stats.oracle_union(a, b)
    covered = [stats.observed_coverage(a), stats.observed_coverage(b)]
    assert found is not None
    assert covered[0] is not None
    assert covered[1] is not None
    assert found.union == pytest.approx(max(covered) + found.gain, abs=1e-12)
    assert found.union == pytest.approx((a.any(axis=1) | b.any(axis=1)).mean(), abs=1e-12)
    assert found.gain >= 0
    assert found.matched_union is None or found.matched_union <= found.union + 1e-12
    assert (found.matched_union is None) == (a.shape[1] < 2)
