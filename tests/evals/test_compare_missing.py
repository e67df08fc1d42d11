"""Comparisons in which something is missing: samples of a seed, seeds of an agent."""

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from quantum_circuit_env.evals.compare import compare
from quantum_circuit_env.evals.comparison import Comparison, Pair, Standing
from quantum_circuit_env.evals.stats.values import Estimate, Flag
from support.compared import FIRST, run_of

RNG = np.random.default_rng(7)
A, B = (RNG.uniform(0, 0.98, size=(24, 3)).round(2) for _ in range(2))
A[::3, 1] = 1.0
B[::4, 2] = 1.0
Table = list[list[float | None]]


def with_hole(values: np.ndarray, seed: int, sample: int) -> Table:
    rows: Table = [list(row) for row in values.tolist()]
    rows[seed][sample] = None
    return rows


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Comparison]]:
    """The comparisons of all samples, and of all but one, for each target."""
    folder = tmp_path_factory.mktemp("runs")
    runs = {
        "whole": run_of(folder / "whole", {"null": {"easy": A.tolist()}, "uniform": {"easy": B.tolist()}}),
        "hole": run_of(
            folder / "hole", {"null": {"easy": with_hole(A, 4, 0)}, "uniform": {"easy": B.tolist()}}
        ),
    }
    return {
        target: {name: compare([run], target=target) for name, run in runs.items()}  # type: ignore[arg-type]
        for target in ("population", "fixed")
    }


def of(found: Comparison, agent: str = "null") -> Standing:
    (own,) = (own for own in found.tiers[0].standings if own.agent == agent)
    return own


def pair(found: Comparison) -> Pair:
    (own,) = found.tiers[0].pairs
    return own


def ends(estimate: Estimate) -> tuple[float, float]:
    assert estimate.interval is not None
    return estimate.interval.low, estimate.interval.high


@pytest.mark.parametrize("target", ["population", "fixed"])
def test_one_sample_less_leaves_the_numbers_what_they_are(
    both: dict[str, dict[str, Comparison]], target: str
) -> None:
    whole, hole = both[target]["whole"], both[target]["hole"]
    known = np.delete(A.ravel(), 4 * 3)
    assert of(hole).iqm.mean == pytest.approx(stats.trim_mean(known, 0.25))
    for name in ("mean", "iqm", "norm_score", "score", "success_t1", "success_t50"):
        mine, all_of_it = getattr(of(hole), name), getattr(of(whole), name)
        assert mine.mean == pytest.approx(all_of_it.mean, abs=0.03)
        assert ends(mine) == pytest.approx(ends(all_of_it), abs=0.04)
    assert ends(pair(hole).difference) == pytest.approx(ends(pair(whole).difference), abs=0.03)
    assert pair(hole).improvement == pytest.approx(pair(whole).improvement, abs=0.03)
    assert hole.tiers[0].profile["null"][25] == pytest.approx((known > 0.5).mean())
    assert of(hole).flags == (Flag.INCOMPLETE,)
    assert pair(hole).union_samples == (3, 3)


def test_pass_at_k_is_of_the_seeds_that_have_k_samples(both: dict[str, dict[str, Comparison]]) -> None:
    hole = both["population"]["hole"]
    assert of(hole).pass_at.keys() == {1, 3}
    solved = np.delete(A >= 1, 4, axis=0)
    assert of(hole).pass_at[3].mean == pytest.approx(solved.any(axis=1).mean())
    assert of(hole).pass_at[3].flags == (Flag.INCOMPLETE,)
    assert "easy: null: pass@3 is of 23 seeds; 1 more has fewer than 3 samples" in hole.warnings
    assert not any("pass@3" in told for told in both["population"]["whole"].warnings)


def test_a_rerun_of_seeds_with_one_sample_is_told(tmp_path: Path) -> None:
    found = compare([run_of(tmp_path / "r", {"null": {"easy": with_hole(A[:, :2], 4, 0)}})], target="fixed")
    assert of(found).mean.interval is not None
    assert Flag.SINGLE_SAMPLE not in of(found).mean.flags
    told = "easy: null: 1 seed of 24 with one sample, which does not tell what chance does"
    assert any(warning.startswith(told) for warning in found.warnings)


def test_equal_samples_are_told_in_one_line(tmp_path: Path) -> None:
    equal = np.repeat(A[:, :1], 3, axis=1)
    scores = {
        "null": {"easy": with_hole(equal, 0, 2), "hard": equal.tolist()},
        "uniform": {"easy": equal.tolist(), "hard": B.tolist()},
    }
    found = compare([run_of(tmp_path / "r", scores)])
    assert Flag.IDENTICAL_SAMPLES in of(found).flags
    told = [warning for warning in found.warnings if "all samples of each seed are equal" in warning]
    (line,) = told
    assert line.endswith(": null on easy, hard; uniform on easy")


def ranked(found: Comparison) -> dict[str, tuple[int, float, float] | None]:
    return {
        own.agent: own.rank
        and own.rank.interval
        and (own.rank.rank, own.rank.interval.low, own.rank.interval.high)
        for own in found.tiers[0].standings
    }


def test_an_agent_with_one_seed_takes_no_rank_from_the_others(tmp_path: Path) -> None:
    others = run_of(tmp_path / "o", {"null": {"easy": A.tolist()}, "uniform": {"easy": B.tolist()}})
    late = run_of(tmp_path / "l", {"cancel-first": {"easy": A[:1].tolist()}}, first=FIRST + 2)
    found = compare([others, late])
    assert ranked(found) == {**ranked(compare([others])), "cancel-first": None}
    assert Flag.UNRANKED in of(found, "cancel-first").flags
    assert Flag.UNRANKED not in of(found).flags
    assert (
        "easy: ranks are of the agents that share 24 seeds; too few of these have cancel-first (1)"
        in found.warnings
    )
    assert "easy: one seed says nothing of other seeds, so there is no interval for them" in found.warnings


def test_agents_without_a_common_seed_have_no_ranks_and_it_is_said(tmp_path: Path) -> None:
    one = run_of(tmp_path / "one", {"null": {"easy": A.tolist()}})
    other = run_of(tmp_path / "two", {"uniform": {"easy": B.tolist()}}, first=FIRST + 50)
    found = compare([one, other])
    assert set(ranked(found).values()) == {None}
    assert "easy: no two agents have played the same seeds, so there are no ranks" in found.warnings


def test_who_leaves_the_others_few_seeds_is_named(tmp_path: Path) -> None:
    others = run_of(tmp_path / "o", {"null": {"easy": A.tolist()}, "uniform": {"easy": B.tolist()}})
    few = run_of(tmp_path / "f", {"cancel-first": {"easy": A[:8].tolist()}})
    found = compare([others, few])
    assert None not in ranked(found).values()
    assert (
        "easy: ranks are of 8 seeds that all ranked agents have; without cancel-first it would be 24"
        in found.warnings
    )


@pytest.mark.parametrize("few", [1, 3])
def test_too_few_seeds_for_all_leave_ranks_on_what_they_share(tmp_path: Path, few: int) -> None:
    scores = {"null": {"easy": A[:few].tolist()}, "uniform": {"easy": B[:few].tolist()}}
    found = compare([run_of(tmp_path / "r", scores)])
    assert sorted(own.rank.rank for own in found.tiers[0].standings if own.rank) == [1, 2]
    assert not any(Flag.UNRANKED in own.flags for own in found.tiers[0].standings)
