"""What the statistics say of little, constant, missing or wrong data; what they import; what they ask for."""

import ast
import doctest
import importlib
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from quantum_circuit_env.evals import stats
from quantum_circuit_env.evals.stats import Flag, SeedBootstrap, StatsError
from quantum_circuit_env.evals.stats import resampling as resampling_module
from quantum_circuit_env.evals.stats.extras import MissingExtraError, require

FOLDER = Path(stats.__path__[0])
NAME = "quantum_circuit_env.evals.stats"
ONE = [[0.3, 0.5]]
SPREAD = [[0.1, 0.2], [0.5, 0.4], [0.9, 0.6]]


def imports_in(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_the_statistics_import_none_of_our_other_modules(path: Path) -> None:
    found = {name for name in imports_in(path) if not name.startswith(NAME)}
    assert {name.partition(".")[0] for name in found} <= sys.stdlib_module_names | {"numpy"}


def test_importing_the_statistics_imports_neither_scipy_nor_openenv() -> None:
    code = f"import sys, {NAME}; print(*{{name.partition('.')[0] for name in sys.modules}})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert {"scipy", "statsmodels", "pandas", "openenv"} & set(done.stdout.split()) == set()


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_the_examples_run(path: Path) -> None:
    assert (
        doctest.testmod(importlib.import_module(f"{NAME}.{path.stem}".removesuffix(".__init__"))).failed == 0
    )


def test_the_public_names_exist_once() -> None:
    assert len(set(stats.__all__)) == len(stats.__all__)
    assert all(hasattr(stats, name) for name in stats.__all__)


def test_a_missing_library_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> Any:
        raise ModuleNotFoundError(f"No module named {name!r}", name="scipy")

    monkeypatch.setattr("quantum_circuit_env.evals.stats.extras.import_module", absent)
    expected = r"^scipy is not installed: pip install 'openenv-quantum-circuit-env\[eval\]'$"
    with pytest.raises(MissingExtraError, match=expected):
        stats.iqm(SPREAD)


def test_a_library_that_is_broken_inside_is_not_called_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(name: str) -> Any:
        raise ModuleNotFoundError("No module named 'numpy.core'", name="numpy.core")

    monkeypatch.setattr("quantum_circuit_env.evals.stats.extras.import_module", broken)
    with pytest.raises(ModuleNotFoundError, match=r"numpy\.core") as caught:
        require("scipy.stats", extra="eval")
    assert not isinstance(caught.value, MissingExtraError)


@pytest.mark.parametrize(
    ("scores", "flags"),
    [
        ([], [Flag.NO_DATA]),
        (ONE, [Flag.SINGLE_TASK]),
        ([[0.3, 0.3]], [Flag.SINGLE_TASK, Flag.IDENTICAL_SAMPLES]),
        (SPREAD, []),
        ([0.1, 0.2], []),
        ([0.1 + 0.2, 0.3], [Flag.CONSTANT_SCORES]),
        ([[0.1, 0.3], [0.3, 0.1]], [Flag.CONSTANT_SCORES]),
        ([[0.1, 0.1], [0.3, 0.3]], [Flag.IDENTICAL_SAMPLES]),
        ([[0.0, 0.0], [0.0, 0.0]], [Flag.CONSTANT_SCORES, Flag.IDENTICAL_SAMPLES]),
    ],
)
def test_flags_of_scores(scores: Any, flags: list[Flag]) -> None:
    assert list(stats.data_flags(scores)) == flags
    assert list(SeedBootstrap(len(scores)).mean(scores).flags) == flags


def test_flags_of_how_the_samples_came_about() -> None:
    found = SeedBootstrap(3).mean(SPREAD, missing=2, iid=False)
    assert found.flags == (Flag.INCOMPLETE, Flag.NON_IID)


def test_no_width_is_told_and_is_exact() -> None:
    found = SeedBootstrap(7).mean([0.1] * 7)
    assert found.interval == stats.Interval(found.mean, found.mean, 0.95, "population")  # type: ignore[arg-type]


def test_equal_seed_means_are_not_constant_for_a_statistic_of_single_scores() -> None:
    scores = [[0.0, 1.0, 0.5], [0.4, 0.6, 0.5], [0.5, 0.5, 0.5]]
    bootstrap = SeedBootstrap(3)
    assert bootstrap.mean(scores).flags == (Flag.CONSTANT_SCORES,)
    assert bootstrap.iqm(scores).flags == ()


def test_one_seed_has_no_interval_for_the_population_but_for_its_rerun() -> None:
    assert SeedBootstrap(1).mean(ONE) == stats.Estimate(0.4, None, (Flag.SINGLE_TASK,))
    assert SeedBootstrap(1).difference(ONE, [0.1]).interval is None
    assert stats.bca_interval(ONE) is None
    rerun = stats.fixed_seed_bootstrap(ONE)
    assert rerun.interval is not None
    assert rerun.interval.target == "fixed"
    assert rerun.flags == ()


def test_one_sample_a_seed_has_no_interval_for_a_rerun() -> None:
    assert stats.fixed_seed_bootstrap([0.1, 0.3]) == stats.Estimate(0.2, None, (Flag.SINGLE_SAMPLE,))


def test_a_constant_has_a_bca_interval_without_width() -> None:
    assert stats.bca_interval([0.5] * 4) == stats.Interval(0.5, 0.5, 0.95, "population")


def test_nothing_gives_nothing() -> None:
    nothing = stats.Estimate(None, None, (Flag.NO_DATA,))
    empty = SeedBootstrap(0)
    assert empty.mean([]) == empty.iqm([]) == empty.difference([], []) == nothing
    assert stats.fixed_seed_bootstrap([]) == stats.hierarchical_bootstrap([]) == nothing
    assert stats.macro_average([]) == stats.macro_average([[0.1, 0.2], []]) == nothing
    assert stats.sign_flip([], []).p is None
    assert stats.holm([]) == []
    assert stats.wilson(0, 0) is stats.observed_coverage([]) is stats.oracle_union([], []) is None
    assert stats.rank_intervals(empty, {}) == {}
    assert stats.tied_groups([], set()) == []
    rates = stats.turn_rates(turns=0, replies=0, nonempty=0, valid_outputs=0, legal_actions=0)
    assert set(rates) == {None}
    assert stats.cluster_standard_error([0.1, 0.4], [7, 7]) is stats.standard_error([0.1]) is None


REFUSED: dict[str, Callable[[], object]] = {
    "nan": lambda: SeedBootstrap(2).mean([0.1, float("nan")]),
    "infinite": lambda: stats.iqm([float("inf")]),
    "three axes": lambda: stats.seed_means(np.zeros((2, 2, 2))),
    "no samples": lambda: stats.seed_means(np.zeros((2, 0))),
    "other seeds": lambda: SeedBootstrap(3).mean([0.1, 0.2]),
    "unshared seeds": lambda: stats.sign_flip([0.1, 0.2], [0.1]),
    "unshared union": lambda: stats.oracle_union([[1]], [[1], [0]]),
    "unshared improvement": lambda: stats.probability_of_improvement([0.1, 0.2], [0.1]),
    "other agents": lambda: stats.spearman([1, 2, 3], [1, 2]),
    "no scores": lambda: stats.iqm([]),
    "level": lambda: SeedBootstrap(2).mean([0.1, 0.2], level=1.0),
    "resamples": lambda: SeedBootstrap(2, resamples=0),
    "more successes than tries": lambda: stats.pass_at_k(3, 4, 1),
    "no try": lambda: stats.pass_hat_k(3, 1, 0),
    "no outcome": lambda: stats.pass_at_k_by_seed([[0.5]], 1),
    "half solved": lambda: stats.observed_coverage([[0.5]]),
    "half passed": lambda: stats.mcnemar([0.5], [1]),
    "p-value": lambda: stats.holm([1.5]),
    "unknown p-value": lambda: stats.holm([float("nan")]),
    "share": lambda: stats.wilson(3, 2),
    "counts": lambda: stats.turn_rates(turns=1, replies=2, nonempty=0, valid_outputs=0, legal_actions=0),
    "clusters": lambda: stats.cluster_standard_error([0.1, 0.2], [1]),
    "no difference": lambda: stats.needed_seeds(0.0, 0.1),
    "negative spread": lambda: stats.mde(10, -0.1),
    "alpha": lambda: stats.needed_seeds(0.1, 0.1, alpha=0),
    "power": lambda: stats.mde(20, 0.1, power=1.0),
    "no comparison": lambda: stats.fewest_seeds(comparisons=0),
    "one seed": lambda: stats.paired_power(1, 0.1, 0.1),
    "one seed of a pilot": lambda: stats.pilot(ONE, ONE),
    "no samples of a plan": lambda: stats.needed_seeds_sampled(0.1, 0.1, 0.1, 0.1, 0, 1),
    "gates": lambda: stats.normalised_score(20, 21, 4),
}


@pytest.mark.parametrize("name", REFUSED)
def test_undefined_statistics_are_refused(name: str) -> None:
    with pytest.raises(StatsError):
        REFUSED[name]()


def test_normalised_scores_and_success() -> None:
    assert stats.normalised_score(20, 12, 4) == 0.5
    assert stats.normalised_score(20, 4, 4) == 1.0
    assert stats.normalised_score(4, 4, 4) is None
    assert [stats.success(score) for score in (None, 0.99, 1.0, 1.1)] == [None, False, True, True]
    assert stats.success(0.5, threshold=0.5)


def test_attempts_that_are_not_independent_are_counted_in_their_order() -> None:
    attempts = [[False, True, False], [False, False, True], [True, False, False]]
    found = [stats.sequential_at_k(attempts, k) for k in (1, 2, 3)]
    assert np.array_equal(found, [[0, 0, 1], [1, 0, 1], [1, 1, 1]])
    assert stats.sequential_at_k(attempts, 4) is None


def test_sums_that_are_zero_but_for_rounding_are_ties() -> None:
    assert sum([0.1, 0.2, -0.3]) != 0
    assert stats.sign_flip_of([0.1, 0.2, -0.3]).p == 1.0


def test_few_seeds_can_never_be_significant() -> None:
    assert stats.fewest_seeds() == 6
    assert stats.fewest_seeds(comparisons=105) == 13
    assert stats.needed_flips(105) == 42_000
    assert stats.mde(5, 0.1) is None
    assert stats.mde(8, 0.1, comparisons=10) is None
    assert stats.needed_seeds(100.0, 0.1) == 6


@pytest.mark.parametrize("comparisons", [1, 10])
@pytest.mark.parametrize(("delta", "sd"), [(0.05, 0.03), (0.05, 0.2), (0.01, 0.3), (0.3, 0.3)])
def test_the_needed_seeds_are_the_fewest_and_invert_the_effect(
    delta: float, sd: float, comparisons: int
) -> None:
    n = stats.needed_seeds(delta, sd, comparisons=comparisons)
    assert stats.paired_power(n, delta, sd, comparisons=comparisons) >= 0.8
    if n > stats.fewest_seeds(comparisons=comparisons):
        assert stats.paired_power(n - 1, delta, sd, comparisons=comparisons) < 0.8
    effect = stats.mde(n, sd, comparisons=comparisons)
    assert effect is not None
    assert effect <= delta
    assert stats.paired_power(n, effect, sd, comparisons=comparisons) == pytest.approx(0.8, abs=1e-6)


@pytest.mark.parametrize("n", [2, 3, 5, 20, 500, 100_000])
def test_power_is_a_number_that_rises_in_far_tails_too(n: int) -> None:
    chances = [stats.paired_power(n, delta, 1.0) for delta in np.logspace(-3, 4, 36)]
    assert all(0 <= chance <= 1 for chance in chances)
    assert np.all(np.diff(chances) >= -1e-9)
    assert stats.paired_power(n, 0.0, 1.0) == pytest.approx(0.05, abs=1e-6)


def test_tiny_effects_do_not_take_for_ever() -> None:
    assert stats.needed_seeds(1e-6, 1.0) == stats.needed_seeds_normal(1e-6, 1.0)
    assert stats.needed_seeds(0.004, 1.0) - stats.needed_seeds_normal(0.004, 1.0) in (1, 2, 3)


def test_no_spread_needs_no_more_than_can_be_significant() -> None:
    assert stats.needed_seeds(0.05, 0.0) == 6
    assert stats.mde(20, 0.0) == 0.0


def test_a_pilot_finds_the_spread_that_made_its_data() -> None:
    rng = np.random.default_rng(5)
    task = rng.normal(0.5, 0.3, (4000, 1))  # shared by both agents: no part of the difference
    edge = rng.normal(0.05, 0.1, (4000, 1))
    a = task + edge + rng.normal(0, 0.2, (4000, 5))
    b = task + rng.normal(0, 0.1, (4000, 3))
    found = stats.pilot(a, b)
    assert found.omega2 == pytest.approx(0.01, rel=0.1)
    assert found.sigma2_a == pytest.approx(0.04, rel=0.05)
    assert found.sigma2_b == pytest.approx(0.01, rel=0.05)
    assert found.mean == pytest.approx(0.05, abs=0.01)
    assert found.sd == pytest.approx(np.sqrt(0.01 + 0.04 / 5 + 0.01 / 3), rel=0.05)
    assert found.sd_with(1, 1) == pytest.approx(np.sqrt(0.06), rel=0.05)
    assert found.sd_with(5, 3) == found.sd


def test_one_sample_a_seed_does_not_tell_the_spread_within() -> None:
    found = stats.pilot([0.1, 0.4, 0.2], SPREAD)
    assert (found.omega2, found.sigma2_a) == (None, None)
    assert found.sigma2_b == pytest.approx((0.005 + 0.005 + 0.045) / 3)
    assert found.sd_with(5, 5) is None
    assert found.sd_with(1, 2) == found.sd


def test_a_spread_that_noise_explains_is_no_spread() -> None:
    assert stats.pilot([[0.0, 1.0], [1.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]).omega2 == 0.0


def test_ranks_are_shared_by_equal_agents() -> None:
    scores = {
        "low": [0.1, 0.1, 0.2],
        "high": [0.8, 0.9, 0.9],
        "twin": [0.9, 0.9, 0.8],
        "mid": [0.5, 0.4, 0.3],
    }
    found = stats.rank_intervals(SeedBootstrap(3), scores)
    assert [found[agent].rank for agent in scores] == [4, 1, 1, 3]
    assert found["low"].interval == stats.Interval(4, 4, 0.95, "population")
    assert found["twin"].interval == stats.Interval(1, 2, 0.95, "population")
    assert stats.rank_intervals(SeedBootstrap(1), {"only": [0.4]}) == {"only": stats.Rank(1, None)}


def test_many_agents_have_an_approximate_rank_agreement() -> None:
    order = list(range(12))
    found = stats.spearman(order, order[::-1])
    assert (found.value, found.method, found.agents) == (pytest.approx(-1), "approximate", 12)
    tau = stats.kendall(order, [*order[1:], 0])
    assert (tau.value, tau.method) == (pytest.approx(1 - 2 * 11 / 66), "approximate")
    assert stats.kendall(range(8), range(8)).p == pytest.approx(2 / 40320)
    assert stats.spearman([1, 2], [1, 2]).flags == (Flag.TOO_FEW_AGENTS,)


def test_indices_that_are_too_many_to_keep_are_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = np.random.default_rng(3).random((40, 2))
    kept = SeedBootstrap(40, resamples=500)
    monkeypatch.setattr(resampling_module, "_KEPT", 0)
    drawn = SeedBootstrap(40, resamples=500)
    assert np.array_equal(kept.draws(scores), drawn.draws(scores))
    assert np.array_equal(drawn.draws(scores), drawn.draws(scores))
    assert drawn.iqm(scores) == kept.iqm(scores)


def test_resamples_are_of_seeds_not_of_scores() -> None:
    scores = np.arange(12.0)[:, np.newaxis] + np.array([0, 100, 200])
    draws = SeedBootstrap(12, resamples=400).draws_of(lambda batch: np.ptp(batch, axis=2).min(axis=1), scores)
    assert np.all(draws == 200)  # a drawn seed has all its samples


def test_tiers_have_equal_weight_and_their_own_seeds() -> None:
    rng = np.random.default_rng(4)
    tiers = [rng.random(30), rng.random(10)]
    found = stats.macro_average(tiers, resamples=20_000)
    assert found.mean == pytest.approx((tiers[0].mean() + tiers[1].mean()) / 2)
    assert found.interval is not None
    spread = np.sqrt(tiers[0].var() / 30 + tiers[1].var() / 10) / 2
    assert found.interval.high - found.interval.low == pytest.approx(2 * 1.96 * spread, rel=0.05)
    assert stats.macro_average([tiers[0], [0.5]]).flags == (Flag.SINGLE_TASK,)
