"""Planning from pilot runs, against the statistics' own definitions and SciPy."""

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from quantum_circuit_env.evals.pilot import power
from quantum_circuit_env.evals.stats.values import StatsError
from quantum_circuit_env.evals.store import RunFolder
from support.compared import run_of

RNG = np.random.default_rng(2)
A, B = (RNG.uniform(0, 1, size=(10, 3)).round(2) for _ in range(2))


@pytest.fixture
def runs(tmp_path: Path) -> list[RunFolder]:
    return [
        run_of(tmp_path / "one", {"null": {"easy": A.tolist()}}),
        run_of(tmp_path / "two", {"uniform": {"easy": B.tolist()}}),
    ]


def chance(n: int, delta: float, sd: float, alpha: float) -> float:
    """Power of the two-sided paired t test."""
    critical = stats.t.isf(alpha / 2, n - 1)
    shift = delta * n**0.5 / sd
    return float(stats.nct.sf(critical, n - 1, shift) + stats.nct.cdf(-critical, n - 1, shift))


@pytest.mark.parametrize("comparisons", [1, 10])
def test_seeds_for_a_difference(runs: list[RunFolder], comparisons: int) -> None:
    (plan,) = power(runs, delta=0.1, comparisons=comparisons)
    assert (plan.tier, plan.a, plan.b, plan.pilot.n_seeds) == ("easy", "null", "uniform", 10)
    within = A.var(axis=1, ddof=1).mean(), B.var(axis=1, ddof=1).mean()
    between = max(0.0, (A - B).mean(axis=1).var(ddof=1) - sum(within) / 3)
    assert [each.samples for each in plan.plans] == [1, 2, 3, 5]
    for each in plan.plans:
        pilots = each.samples == 3
        expected = (
            (A - B).mean(axis=1).std(ddof=1) if pilots else (between + sum(within) / each.samples) ** 0.5
        )
        assert each.sd == pytest.approx(expected)
        assert each.seeds is not None
        assert chance(each.seeds, 0.1, each.sd, 0.05 / comparisons) >= 0.8
        assert chance(each.seeds - 1, 0.1, each.sd, 0.05 / comparisons) < 0.8
        assert each.finds is None


def test_what_seeds_find(runs: list[RunFolder]) -> None:
    (plan,) = power(runs, n=50)
    for each in plan.plans:
        assert each.finds is not None
        assert chance(50, each.finds, each.sd, 0.05) == pytest.approx(0.8, abs=1e-6)
    (plan,) = power(runs, n=5)
    assert {each.finds for each in plan.plans} == {None}


def test_one_sample_a_seed_does_not_tell_of_others(tmp_path: Path) -> None:
    run = run_of(
        tmp_path / "r", {"null": {"easy": A[:, :1].tolist()}, "uniform": {"easy": B[:, :1].tolist()}}
    )
    (plan,) = power([run], delta=0.05)
    assert [each.samples for each in plan.plans] == [1]


def test_what_cannot_be_planned_is_told(runs: list[RunFolder]) -> None:
    for asked in ({}, {"delta": 0.1, "n": 5}):
        with pytest.raises(StatsError, match="either"):
            power(runs, **asked)
    with pytest.raises(StatsError, match="two agents that have two seeds"):
        power(runs[:1], delta=0.1)
    with pytest.raises(StatsError, match="the metric must be norm_score, score"):
        power(runs, delta=0.1, metric="beauty")
    for impossible in (-0.1, 0.0, 1.5, float("nan"), float("inf")):
        with pytest.raises(StatsError, match="above 0 and at most 1, which two agents' normalised score"):
            power(runs, delta=impossible)
    with pytest.raises(StatsError, match="must be above 0, got inf"):
        power(runs, delta=float("inf"), metric="return")
