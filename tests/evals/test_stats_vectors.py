"""The statistics give the values of `vectors.json`.

The vectors come with the specification of the evaluation. Each was computed by the library that it names
(NumPy 2.5.5, SciPy 1.18.1, statsmodels 0.15.0, errorbars 0.2.4, rliable 1.2.0) and by at least one second
route: enumeration, a closed form or another library. They hold to 1e-12 where no other tolerance stands
beside them.
"""

import math
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats as scipy_stats

from quantum_circuit_env.agents.vocabulary import UNUSABLE, ErrorClass
from quantum_circuit_env.evals import stats
from quantum_circuit_env.evals.stats import SeedBootstrap
from quantum_circuit_env.evals.stats.reruns import hierarchical_draws
from support.vectors import Vector, load

SECTIONS = load(Path(__file__).with_name("vectors.json"))
META = {"_meta", "wilson_how"}
CHECKS: dict[str, Callable[[Any], None]] = {}


def check(function: Callable[[Any], None]) -> Callable[[Any], None]:
    CHECKS[function.__name__] = function
    return function


def near(expected: Any, tolerance: float = 1e-12) -> Any:
    return pytest.approx(expected, rel=0, abs=tolerance)


def ends(interval: stats.Interval | None) -> tuple[float, float]:
    assert interval is not None
    return interval.low, interval.high


@pytest.mark.parametrize("section", sorted(SECTIONS.keys() - META))
def test_every_number_of_the_section_is_met(section: str) -> None:
    vector = Vector(SECTIONS[section])
    CHECKS[section](vector)
    assert vector.unread() == set()


def test_there_is_no_check_without_a_section() -> None:
    assert CHECKS.keys() == SECTIONS.keys() - META


def test_a_forgotten_number_is_noticed() -> None:
    vector = Vector({"a": {"b": [1, 2], "how": "by hand"}})
    assert vector["a"]["b"][0] == 1
    assert vector.unread() == {"/a/b/1"}


@check
def pass_at_k(vector: Any) -> None:
    for case in vector["cases"]:
        assert stats.pass_at_k(case["n"], case["c"], case["k"]) == near(case["value"])
    for case in vector["undefined"]:
        assert case["value"] is None
        assert stats.pass_at_k(case["n"], case["c"], case["k"]) is None
    for trap in vector["traps"]:
        value = stats.pass_at_k(trap["n"], trap["c"], trap["k"])
        assert value == near(trap["right"])
        assert value != near(trap["wrong"], 0.1)


@check
def pass_hat_k(vector: Any) -> None:
    for case in vector["cases"]:
        assert stats.pass_hat_k(case["n"], case["c"], case["k"]) == near(case["value"])


@check
def mean_bootstrap(vector: Any) -> None:
    scores = np.array(vector["scores"].all())
    assert scores.shape == (5, 3)
    seeds(vector["task_bootstrap"], scores, vector["mean"])
    hierarchical(vector["hierarchical_bootstrap"], scores)
    fixed(vector["fixed_seed_bootstrap"], scores)
    assert stats.standard_error(scores) == near(vector["clt"]["se"])
    assert ends(stats.t_interval(scores)) == near(vector["clt"]["t95"].all())


def seeds(vector: Any, scores: Any, mean: float) -> None:
    bootstrap = SeedBootstrap(5)
    found = bootstrap.mean(scores)
    assert bootstrap.resamples == 3125
    assert found.mean == near(mean)
    assert bootstrap.draws(scores).std() == near(vector["se_exact"])
    assert ends(found.interval) == near(vector["ci95_percentile_exact"].all())
    drawn = SeedBootstrap(5, resamples=3124)  # fewer than there are, so by chance
    assert ends(drawn.mean(scores).interval) == near(vector["ci95_percentile_exact"].all(), 0.05)
    options = {"method": "percentile", "n_resamples": 100_000, "rng": np.random.default_rng(1)}
    other = scipy_stats.bootstrap((scores.mean(axis=1),), np.mean, **options).confidence_interval
    assert ends(found.interval) == near(tuple(other), vector["mc_tolerance"])
    bca = stats.bca_interval(scores, resamples=100_000)
    assert ends(bca) == near(vector["bca_scipy_100k"].all(), vector["mc_tolerance"])


def hierarchical(vector: Any, scores: Any) -> None:
    tolerance = vector["mc_tolerance"]
    spread = hierarchical_draws(scores, resamples=200_000).std()
    assert spread == near(vector["se_closed_form"], tolerance)
    assert spread == near(vector["mc_se"], tolerance)
    found = stats.hierarchical_bootstrap(scores, resamples=200_000)
    assert ends(found.interval) == near(vector["ci95_mc"].all(), tolerance)


def fixed(vector: Any, scores: Any) -> None:
    tolerance = vector["mc_tolerance"]
    low, high = ends(stats.fixed_seed_bootstrap(scores, level=0.6826894921, resamples=50_000).interval)
    assert (high - low) / 2 == near(vector["se_closed_form"], tolerance)  # one SE each way, near normal
    found = stats.fixed_seed_bootstrap(scores, resamples=50_000)
    assert ends(found.interval) == near(vector["ci95_mean"].all(), tolerance)
    assert found.interval is not None
    assert found.interval.target == "fixed"
    iqm = stats.fixed_seed_bootstrap(scores, stats.iqm_of_each, resamples=50_000)
    assert ends(iqm.interval) == near(vector["ci95_iqm"].all(), tolerance)


@check
def binary_bootstrap_exact(vector: Any) -> None:
    n = vector["n"]
    outcomes = np.arange(n) < vector["successes"]
    found = SeedBootstrap(n).mean(outcomes)
    assert found.mean == near(vector["mean"])
    assert outcomes.std(ddof=1) == near(vector["sd_ddof1"])
    assert ends(found.interval) == near(vector["ci95_exact"].all(), 1 / n + 1e-12)


@check
def degenerate(vector: Any) -> None:
    for case in vector:
        scores = case["x"].all()
        found = SeedBootstrap(len(scores)).mean(scores)
        assert found.mean == case["mean"]
        assert list(found.flags) == [case["flag"]]
        if found.interval is None:
            assert case["ci"] is None
        else:
            assert list(ends(found.interval)) == case["ci"].all()


@check
def wilson(vector: Any) -> None:
    for case in vector:
        count, n = case["c"], case["n"]
        assert ends(stats.wilson(count, n)) == near(case["wilson"].all())
        assert ends(stats.clopper_pearson(count, n)) == near(case["clopper_pearson"].all())


@check
def clustered_se(vector: Any) -> None:
    scores, clusters = vector["scores"].all(), vector["cluster"].all()
    assert np.mean(scores) == vector["mean"]
    assert stats.standard_error(scores) == near(vector["naive_se"])
    assert stats.cluster_standard_error(scores, clusters, finite=False) == near(vector["cluster_se"])
    assert stats.cluster_standard_error(scores, clusters) == near(vector["cluster_se_finite"])
    assert stats.cluster_standard_error(scores, clusters) == near(vector["errorbars"])


@check
def iqm(vector: Any) -> None:
    scores = np.array(vector["scores_seed_by_run"].all())
    assert stats.iqm(scores) == near(vector["iqm"])
    assert SeedBootstrap(5).iqm(scores).mean == near(vector["iqm"])
    assert SeedBootstrap(5).mean(scores).mean == near(vector["mean"])
    assert stats.median_of_seed_means(scores) == near(vector["median_of_seed_means"])
    assert stats.optimality_gap(scores) == near(vector["optimality_gap_gamma1"])
    for case in vector["cases"]:
        assert stats.iqm(case["x"].all()) == near(case["iqm"])


@check
def paired_permutation(vector: Any) -> None:
    for case in vector["cases"]:
        found = stats.sign_flip(case["a"].all(), case["b"].all())
        assert found.mean_difference == near(case["mean_diff"])
        assert found.p == near(case["p_exact"])
        assert (found.method, found.flips) == ("exact", case["n_permutations"])
    by_chance = vector["monte_carlo"]
    differences = by_chance["d"].all()
    found = stats.sign_flip_of(differences, flips=by_chance["m"])
    assert found.method == "monte_carlo"
    assert found.p == near(by_chance["p"], by_chance["tolerance"])
    assert found.p == near(by_chance["t_test_p"], by_chance["tolerance"])
    # The vector's differences are rounded to six decimals, its t test is of unrounded ones.
    assert scipy_stats.ttest_1samp(differences, 0).pvalue == near(by_chance["t_test_p"], 1e-6)
    for n, smallest in vector["smallest_possible_p"].items():
        assert stats.smallest_p(int(n)) == smallest
        assert stats.sign_flip_of(np.ones(int(n))).p == smallest


@check
def binary_paired(vector: Any) -> None:
    only_a, only_b = vector["only_A"], vector["only_B"]
    a = [1] * only_a + [0] * only_b + [1, 0, 0]
    b = [0] * only_a + [1] * only_b + [1, 0, 0]
    assert stats.mcnemar(a, b) == (only_a, only_b, near(vector["p"]))
    assert stats.sign_flip(a, b).p == near(vector["p"])


@check
def paired_bootstrap(vector: Any) -> None:
    differences = np.array(vector["d"].all())
    base = np.array([0.3, 0.5, 0.1, 0.7, 0.2])
    found = SeedBootstrap(5).difference(base + differences, base)
    assert found.mean == near(vector["mean"])
    assert ends(found.interval) == near(vector["ci95_exact"].all())


@check
def holm(vector: Any) -> None:
    for case in vector["cases"]:
        assert stats.holm(case["p"].all()) == near(case["adjusted"].all())


@check
def bh(vector: Any) -> None:
    for case in vector["cases"]:
        assert stats.benjamini_hochberg(case["p"].all()) == near(case["adjusted"].all())


@check
def rank_agreement(vector: Any) -> None:
    a, b = vector["a"].all(), vector["b"].all()
    assert stats.spearman(a, b).value == near(vector["spearman"])
    assert stats.spearman(a, b).p == near(vector["spearman_p_exact"])
    assert stats.kendall(a, b).value == near(vector["kendall_tau_b"])
    assert stats.kendall(a, b, "c").value == near(vector["kendall_tau_c"])
    counts = stats.pair_counts(a, b)
    assert (counts.concordant, counts.discordant) == (vector["concordant"], vector["discordant"])
    assert (counts.ties_a, counts.ties_b) == (vector["ties_a"], vector["ties_b"])
    constant = vector["constant"]
    a, b = constant["a"].all(), constant["b"].all()
    assert stats.spearman(a, b).value is constant["spearman"] is None
    assert stats.kendall(a, b).value is constant["kendall_tau_b"] is None
    assert stats.spearman(a, b).flags == stats.kendall(a, b).flags == (stats.Flag.CONSTANT_RANKING,)
    fewest = vector["min_agents"]
    assert stats.spearman(range(fewest), range(fewest)).value == near(1.0)
    assert stats.spearman(range(fewest - 1), range(fewest - 1)).value is None


@check
def rates(vector: Any) -> None:
    counts = Counter(ErrorClass(turn) for turn in vector["turn_outcomes"].all())
    assert counts == vector["counts"].all()
    turns = counts.total()
    assert turns == vector["turns"] == vector["attempted"]
    replies = turns - counts[ErrorClass.API_ERROR]
    nonempty = replies - counts[ErrorClass.EMPTY_OUTPUT] - counts[ErrorClass.BUDGET_EXHAUSTED]
    valid = replies - sum(counts[unusable] for unusable in UNUSABLE)
    legal = counts[ErrorClass.OK]
    assert (replies, nonempty) == (vector["responded"], vector["nonempty"])
    assert (valid, legal) == (vector["schema_valid"], vector["legal"])
    found = stats.turn_rates(
        turns=turns, replies=replies, nonempty=nonempty, valid_outputs=valid, legal_actions=legal
    )
    assert found.api_error == near(vector["api_error_rate"])
    assert found.nonempty == near(vector["nonempty_rate"])
    assert found.valid_output == near(vector["valid_output_rate"])
    assert found.valid_action == near(vector["valid_action_rate"])
    assert found.legal_given_valid == near(vector["legal_given_valid"])


@check
def coverage(vector: Any) -> None:
    passed = vector["passed"].all()
    for agent, share in vector["observed_coverage"].items():
        assert stats.observed_coverage(passed[agent]) == near(share)
    matched = vector["budget_matched"]
    for pair, expected in vector["oracle_union"].items():
        first, second = pair.split("|")
        found = stats.oracle_union(passed[first], passed[second])
        assert found is not None
        assert found.union == near(expected["union"])
        assert found.gain == near(expected["gain"])
        assert (found.only_first, found.only_second) == (expected["only_first"], expected["only_second"])
        assert found.matched_union == near(matched[pair])
    assert stats.union_of_all(*passed.values()) == near(vector["union_all"])
    assert stats.solved_by_none(*passed.values()) == vector["solved_by_none"].all()


@check
def power(vector: Any) -> None:
    delta, alpha, chance = vector["delta"], vector["alpha"], vector["power"]
    for row in vector["table"]:
        sd = row["sd_of_paired_difference"]
        assert stats.needed_seeds_normal(delta, sd, alpha, chance) == row["n_normal"]
        assert stats.needed_seeds(delta, sd, alpha, chance) == row["n_t"]
        assert stats.needed_seeds(delta, sd, alpha, chance, comparisons=10) == row["n_t_holm10"]
        for n in (50, 100, 200):
            assert stats.mde(n, sd, alpha, chance) == near(row[f"mde_n{n}"], 0.5e-4)
    z = scipy_stats.norm.ppf(1 - alpha / 2) + scipy_stats.norm.ppf(chance)
    assert stats.needed_seeds_normal(delta, 0.1, alpha, chance) == math.ceil((z * 0.1 / delta) ** 2)
    miller = vector["miller"]
    omega2, sigma2_a, sigma2_b = (miller[key] for key in ("omega2", "sigma2_A", "sigma2_B"))
    for samples, seeds_needed in miller["n"].items():
        counts = int(samples), int(samples)
        found = stats.needed_seeds_sampled(delta, omega2, sigma2_a, sigma2_b, *counts, alpha, chance)
        assert found == seeds_needed


@check
def probability_of_improvement(vector: Any) -> None:
    x, y = np.array(vector["x_run_by_seed"].all()).T, np.array(vector["y_run_by_seed"].all()).T
    assert stats.probability_of_improvement(x, y) == near(vector["value"])
    assert stats.probability_of_improvement(x, y) == near(vector["rliable"])
    assert stats.improvement_by_seed(x, y) == near(vector["per_seed"].all())


@check
def performance_profile(vector: Any) -> None:
    scores, taus = np.array(vector["scores_run_by_seed"].all()).T, vector["tau"].all()
    assert stats.performance_profile(scores, taus) == near(vector["run_score"].all())
    assert stats.performance_profile(scores, taus) == near(vector["check"].all())
    assert stats.mean_profile(scores, taus) == near(vector["average_score"].all())
