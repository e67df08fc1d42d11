"""Comparisons of run folders, against SciPy and against values worked out by hand."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from quantum_circuit_env.evals.compare import compare
from quantum_circuit_env.evals.comparison import Comparison, Pair, Standing
from quantum_circuit_env.evals.entrants import MixedRunsError
from quantum_circuit_env.evals.report import render_html, render_markdown
from quantum_circuit_env.evals.revision import Revision
from quantum_circuit_env.evals.stats.values import Estimate, Flag, StatsError
from quantum_circuit_env.evals.store import RunFolder
from support.compared import FIRST, Scores, run_of
from support.runs import episode_of, run_info

RNG = np.random.default_rng(5)
A, B, C = (RNG.uniform(0, 0.98, size=(12, 2)).round(2) for _ in range(3))
A[:4, 0] = 1.0
B[2:5, 1] = 1.0
SCORES: Scores = {
    "null": {"easy": A.tolist(), "hard": C.tolist()},
    "uniform": {"easy": B.tolist(), "hard": A.tolist()},
    "cancel-first": {"easy": C.tolist(), "hard": B.tolist()},
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    return run_of(tmp_path_factory.mktemp("runs") / "one", SCORES)


@pytest.fixture(scope="module")
def found(run: RunFolder) -> Comparison:
    return compare([run])


def standing(found: Comparison, agent: str, tier: str = "easy") -> Standing:
    (table,) = (table for table in found.tiers if table.tier == tier)
    (own,) = (own for own in table.standings if own.agent == agent)
    return own


def pair(found: Comparison, a: str, b: str, tier: str = "easy") -> Pair:
    (table,) = (table for table in found.tiers if table.tier == tier)
    (own,) = (own for own in table.pairs if {own.a, own.b} == {a, b})
    return own


def ends(estimate: Estimate) -> tuple[float, float]:
    assert estimate.interval is not None
    return estimate.interval.low, estimate.interval.high


def test_the_table_against_scipy(found: Comparison) -> None:
    own = standing(found, "null")
    assert (own.n_seeds, own.n_samples, own.incomplete) == (12, 24, 0)
    assert own.mean.mean == pytest.approx(A.mean())
    assert own.mean.interval is not None
    assert (own.mean.interval.target, own.mean.interval.level) == ("population", 0.95)
    again = stats.bootstrap((A.mean(axis=1),), np.mean, method="percentile", rng=np.random.default_rng(1))
    assert ends(own.mean) == pytest.approx(tuple(again.confidence_interval), abs=0.01)
    assert own.iqm.mean == pytest.approx(stats.trim_mean(A, 0.25, axis=None))
    assert own.success_t1.mean == pytest.approx((A >= 1).mean())
    assert own.success_t50.mean == pytest.approx((A >= 0.5).mean())
    assert own.legacy_success.mean == pytest.approx((0.8 * A >= 0.1).mean())
    assert own.score.mean == pytest.approx(np.clip(0.8 * A, 0.01, 0.99).mean())
    assert own.coverage == 4 / 12
    assert own.pass_at.keys() == {1}
    assert own.pass_at[1].mean == pytest.approx((A >= 1).mean())
    template = episode_of(run_info(), next(run_info().keys()))
    assert (own.episode_return.mean, own.steps.mean) == pytest.approx(
        (template.episode_return, template.steps)
    )
    assert own.classes == {kind.value: 24 * count for kind, count in template.classes.items()}
    assert own.rates.valid_action == template.legal_actions / template.replies


def test_pairs_against_scipy(found: Comparison) -> None:
    both = {("null", "uniform"): A - B, ("null", "cancel-first"): A - C, ("uniform", "cancel-first"): B - C}
    raw = {}
    for (a, b), difference in both.items():
        one, d = pair(found, a, b), difference.mean(axis=1)
        sign = 1 if one.a == a else -1
        assert one.difference.mean == pytest.approx(sign * d.mean())
        test = stats.permutation_test(
            (d,), np.mean, permutation_type="samples", n_resamples=2**12, vectorized=True
        )
        assert one.p == pytest.approx(test.pvalue)
        again = stats.bootstrap((sign * d,), np.mean, method="percentile", rng=np.random.default_rng(1))
        assert ends(one.difference) == pytest.approx(tuple(again.confidence_interval), abs=0.02)
        assert list(one.by_seed) == list(range(FIRST, FIRST + 12))
        assert list(one.by_seed.values()) == pytest.approx(list(sign * d))
        assert (one.n_shared, one.dropped) == (12, 0)
        raw[a, b] = test.pvalue
        t_power = stats.nct.sf(stats.t.isf(0.025, 11), 11, (one.mde or 0) * 12**0.5 / d.std(ddof=1))
        assert t_power == pytest.approx(0.8, abs=1e-6)
        assert one.mde_holm > one.mde
    adjusted, most = {}, 0.0
    for place, key in enumerate(sorted(raw, key=raw.__getitem__)):
        most = max(most, (3 - place) * raw[key])
        adjusted[key] = min(1.0, most)
    for (a, b), expected in adjusted.items():
        assert pair(found, a, b).p_holm == pytest.approx(expected)


def test_what_two_agents_solve_together_by_hand(found: Comparison) -> None:
    # null solves seeds 0 to 3 with its first sample, uniform 2 to 4 with its second one.
    one = pair(found, "null", "uniform")
    assert one.union is not None
    assert one.union.union == pytest.approx(5 / 12)
    assert one.union.gain == pytest.approx(1 / 12)
    assert one.union.matched_union == pytest.approx(4 / 12)
    assert one.union_samples == (2, 2)


def test_the_profile_is_the_share_above_each_threshold(found: Comparison) -> None:
    table = found.tiers[0]
    assert (table.taus[0], table.taus[25], table.taus[-1]) == (0, 0.5, 1)
    assert table.profile["null"][25] == pytest.approx((A > 0.5).mean())
    assert table.profile["null"][-1] == 0


def test_ranks_and_their_agreement_across_tiers(found: Comparison) -> None:
    easy = {"null": A.mean(), "uniform": B.mean(), "cancel-first": C.mean()}
    hard = {"null": C.mean(), "uniform": A.mean(), "cancel-first": B.mean()}
    (agreement,) = found.agreements
    assert (agreement.tier_a, agreement.tier_b) == ("easy", "hard")
    expected = stats.spearmanr(list(easy.values()), list(hard.values())).statistic
    assert agreement.spearman.value == pytest.approx(expected)
    expected = stats.kendalltau(list(easy.values()), list(hard.values())).statistic
    assert agreement.kendall.value == pytest.approx(expected)
    best = sorted(easy, key=easy.__getitem__, reverse=True)
    assert [own.agent for own in found.tiers[0].standings] == best
    assert [own.rank.rank for own in found.tiers[0].standings if own.rank] == [1, 2, 3]


def test_a_mean_over_tiers_is_told_only_where_every_run_has_declared_it(tmp_path: Path) -> None:
    declared = run_of(tmp_path / "declared", SCORES, overall=True)
    found = compare([declared], resamples=1_000)
    means = {agent: np.mean([np.mean(rows) for rows in tiers.values()]) for agent, tiers in SCORES.items()}
    assert {own.agent: own.mean.mean for own in found.overall} == pytest.approx(means)
    assert [own.agent for own in found.overall] == sorted(means, key=means.__getitem__, reverse=True)
    one = next(own.mean for own in found.overall if own.agent == "null")
    # Tiers are drawn independently: their variances add.
    reach = 1.96 * (A.mean(axis=1).var() / 12 + C.mean(axis=1).var() / 12) ** 0.5 / 2
    assert ends(one) == pytest.approx((means["null"] - reach, means["null"] + reach), abs=0.02)
    for render in (render_html, render_markdown):
        assert "Mean over easy, hard" in render(found)
        assert "no number over all tiers" not in render(found)
    silent = run_of(tmp_path / "silent", {"optimal": {"easy": A.tolist(), "hard": B.tolist()}})
    assert compare([declared, silent], resamples=10).overall == ()
    assert compare([declared], side_by_side=True, resamples=10).overall == ()
    apart = run_of(tmp_path / "apart", {"optimal": {"easy": A.tolist()}}, overall=True)
    assert compare([declared, apart], resamples=10).overall == ()


def clear(shift: float, seeds: int = 8) -> list[list[float]]:
    return [[0.1 * (seed % 3) + shift] for seed in range(seeds)]


def test_tied_agents_are_those_that_no_test_tells_apart(tmp_path: Path) -> None:
    near = [[row[0] + (0.01 if number % 2 else -0.01)] for number, row in enumerate(clear(0.7))]
    run = run_of(
        tmp_path / "r",
        {"null": {"easy": clear(0.1)}, "uniform": {"easy": clear(0.7)}, "optimal": {"easy": near}},
    )
    (table,) = compare([run]).tiers
    assert table.tied == (("optimal", "uniform"), ("null",))
    assert pair(compare([run]), "null", "uniform").p == 2 / 2**8
    assert pair(compare([run]), "null", "uniform").p_holm == 3 * 2 / 2**8
    lowest = standing(compare([run]), "null").rank
    assert lowest is not None
    assert lowest.interval is not None
    assert (lowest.rank, lowest.interval.low, lowest.interval.high) == (3, 3, 3)


def test_the_same_results_under_two_names_get_the_same_numbers(tmp_path: Path) -> None:
    run = run_of(tmp_path / "r", {"null": {"easy": A.tolist()}, "uniform": {"easy": A.tolist()}})
    found = compare([run])
    first, second = found.tiers[0].standings
    assert replace(first, agent="x") == replace(second, agent="x")
    assert (found.tiers[0].pairs[0].p, found.tiers[0].pairs[0].difference.mean) == (1, 0)
    assert found.tiers[0].tied == (("null", "uniform"),)


def test_pairs_are_of_shared_seeds_and_say_what_they_drop(tmp_path: Path) -> None:
    one = run_of(tmp_path / "one", {"null": {"easy": A.tolist()}})
    other = run_of(tmp_path / "two", {"uniform": {"easy": B.tolist()}}, first=FIRST + 3)
    found = compare([one, other])
    both = pair(found, "null", "uniform")
    assert (both.n_shared, both.dropped) == (9, 6)
    d = (A[3:] - B[:9]).mean(axis=1) * (1 if both.a == "null" else -1)
    assert both.difference.mean == pytest.approx(d.mean())
    assert any("drop 6" in told for told in found.warnings)
    assert standing(found, "null").n_seeds == 12


def test_incomplete_episodes_are_listed_and_in_no_denominator(tmp_path: Path) -> None:
    holes: list[list[float | None]] = [list(row) for row in A.tolist()]
    holes[0] = [None, None]
    holes[5][1] = None
    run = run_of(tmp_path / "r", {"null": {"easy": holes}, "uniform": {"easy": B.tolist()}})
    found = compare([run])
    own = standing(found, "null")
    means = [A[seed].mean() if seed != 5 else A[5, 0] for seed in range(1, 12)]
    assert (own.n_seeds, own.n_samples, own.incomplete, own.complete) == (11, 21, 3, 21)
    assert own.mean.mean == pytest.approx(np.mean(means))
    known = A[1:].sum() - A[5, 1]
    assert own.bounds == pytest.approx((known / 24, (known + 3) / 24))
    assert Flag.INCOMPLETE in own.flags
    assert [(each.seed, each.sample) for each in found.incomplete] == [
        (FIRST, 0),
        (FIRST, 1),
        (FIRST + 5, 1),
    ]
    assert {each.reason for each in found.incomplete} == {"the service was away"}
    assert pair(found, "null", "uniform").n_shared == 11
    assert standing(found, "uniform").bounds is None


def test_what_was_not_played_is_incomplete(tmp_path: Path) -> None:
    info = run_info(("null",), run_id="r")
    keys = list(info.keys())
    with RunFolder.create(tmp_path / "r", info) as run:
        run.append(episode_of(info, keys[0]))
    found = compare([RunFolder.open(tmp_path / "r")])
    assert [each.reason for each in found.incomplete] == ["not played"] * 5
    assert standing(found, "null").incomplete == 5


def test_fixed_intervals_are_of_a_rerun(run: RunFolder) -> None:
    found = compare([run], target="fixed")
    own = standing(found, "null")
    assert own.mean.interval is not None
    assert own.mean.interval.target == "fixed"
    # The normal approximation of a rerun: samples of each seed, drawn with replacement.
    reach = 1.96 * (A.var(axis=1) / 2).sum() ** 0.5 / 12
    assert ends(own.mean) == pytest.approx((A.mean() - reach, A.mean() + reach), abs=0.02)
    both = pair(found, "null", "uniform").difference
    assert both.interval is not None
    assert both.interval.target == "fixed"
    reach = 1.96 * ((A.var(axis=1) / 2).sum() + (B.var(axis=1) / 2).sum()) ** 0.5 / 12
    assert ends(both)[1] - ends(both)[0] == pytest.approx(2 * reach, abs=0.03)


def test_pass_at_k_where_samples_allow(tmp_path: Path) -> None:
    rows = [[1, 0, 0], [0, 0, 0], [1, 1, 0], [0, 0, 0]]
    found = compare([run_of(tmp_path / "r", {"null": {"easy": rows}})])
    own = standing(found, "null")
    assert [(k, own.pass_at[k].mean) for k in own.pass_at] == [(1, 3 / 12), (3, 2 / 4)]
    found = compare([run_of(tmp_path / "s", {"null": {"easy": rows}}, iid=False)])
    assert standing(found, "null").pass_at == {}
    assert Flag.NON_IID in standing(found, "null").flags


def with_parts(path: Path, agent: str, **parts: str | int) -> RunFolder:
    """A run that another evaluator has graded."""
    info = run_info((agent,), run_id=path.name)
    evaluator = Revision(info.evaluator.version, {**info.evaluator.parts, **parts})
    info = replace(info, evaluator=evaluator, revision=str(evaluator))
    with RunFolder.create(path, info) as run:
        for key in info.keys():  # noqa: SIM118
            run.append(episode_of(info, key))
    return RunFolder.open(path)


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"optima": "0" * 12}, r"optima: \w{12} in .*one, 0{12} in .*two; `quantum-circuit-env rescore"),
        ({"turns": 150}, r"turns: 15 in .*one, 150 in .*two; no rescoring can cross turns"),
        ({"parser_version": "9", "optima": "x"}, r"parser_version: .*crosses parser_version only for a run"),
        ({"parser_version": "9", "turns": 150}, r"no rescoring can cross parser_version, turns: play"),
    ],
)
def test_mixed_runs_are_refused_by_name(tmp_path: Path, parts: dict[str, str | int], said: str) -> None:
    runs = [with_parts(tmp_path / "one", "null"), with_parts(tmp_path / "two", "null", **parts)]
    with pytest.raises(MixedRunsError, match=said):
        compare(runs)
    found = compare(runs, side_by_side=True)
    assert [own.agent for own in found.tiers[0].standings] == ["null [one]", "null [two]"]
    assert [(table.pairs, table.tied) for table in found.tiers] == [((), ())]
    assert found.agreements == ()
    assert all(own.rank is None for own in found.tiers[0].standings)
    assert len(found.revisions) == 2


def test_runs_of_one_agent_are_pooled_unless_they_disagree(tmp_path: Path) -> None:
    one = run_of(tmp_path / "one", {"null": {"easy": A.tolist()}})
    same = run_of(tmp_path / "same", {"null": {"easy": A.tolist()}})
    more = run_of(tmp_path / "more", {"null": {"easy": B.tolist()}}, first=FIRST + 12)
    other = run_of(tmp_path / "other", {"null": {"easy": B.tolist()}})
    assert standing(compare([one, same]), "null").n_samples == 24
    assert standing(compare([one, more]), "null").n_seeds == 24
    labels = [own.agent for own in compare([one, other]).tiers[0].standings]
    assert sorted(labels) == ["null [one]", "null [other]"]


def test_a_report_is_json_without_what_is_no_number(found: Comparison) -> None:
    told = json.loads(json.dumps(found.as_json(), allow_nan=False))
    assert told["tiers"][0]["standings"][0]["mean"]["interval"]["target"] == "population"
    assert told["tiers"][0]["pairs"][0]["union"]["gain"] >= 0
    assert set(told["tiers"][0]["pairs"][0]["by_seed"]) == {str(FIRST + number) for number in range(12)}


def test_few_seeds_and_absent_baselines_are_warned_of(tmp_path: Path) -> None:
    scores: Scores = {"null": {"easy": clear(0.1, 5)}, "beam:width=8": {"easy": clear(0.7, 5)}}
    told = "\n".join(compare([run_of(tmp_path / "r", scores)]).warnings)
    assert (
        "no baseline to read the numbers by: uniform, random-legal, cancel-first, optimal did not play"
        in told
    )
    assert "easy: pairs with fewer than 6 shared seeds cannot be significant" in told
    assert "easy: with 5 seeds, intervals are narrower" in told


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"metric": "beauty"}, "the metric must be norm_score, score, .* or steps; got 'beauty'"),
        ({"alpha": 0.0}, "alpha must be above 0 and below 1, got 0$"),
        ({"alpha": 1.0}, "alpha must be above 0 and below 1, got 1$"),
    ],
)
def test_what_cannot_be_asked_is_told(run: RunFolder, changes: dict[str, object], told: str) -> None:
    with pytest.raises(StatsError, match=told):
        compare([run], **changes)  # type: ignore[arg-type]
    with pytest.raises(StatsError, match="a comparison needs at least one run"):
        compare([], **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize("order", [[0, 1], [1, 0]])
def test_the_order_of_runs_does_not_matter(tmp_path: Path, order: Sequence[int]) -> None:
    runs = [
        run_of(tmp_path / "one", {"null": {"easy": A.tolist()}}),
        run_of(tmp_path / "two", {"uniform": {"easy": B.tolist()}}),
    ]
    assert compare([runs[place] for place in order]).tiers == compare(runs).tiers


def models(path: Path, **changes: str) -> RunFolder:
    """A run of an agent that asks a model."""
    info = run_info(("llm:model=m",), run_id=path.name)
    asked = replace(
        info.agents[0], **{"model": "m", "endpoint": "h", "prompt": "p", "parser": "1", **changes}
    )
    info = replace(info, agents=(asked,))
    with RunFolder.create(path, info) as run:
        for key in info.keys():  # noqa: SIM118
            run.append(episode_of(info, key))
    return RunFolder.open(path)


def test_replies_that_were_read_in_two_ways_are_refused(tmp_path: Path) -> None:
    runs = [models(tmp_path / "one"), models(tmp_path / "two", parser="2")]
    with pytest.raises(
        MixedRunsError,
        match=r"agents' parser: 1 in .*one, 2 in .*two; rescoring crosses agents' parser only for",
    ):
        compare(runs)


def test_one_name_for_two_agents_is_two_agents(tmp_path: Path) -> None:
    runs = [models(tmp_path / "one"), models(tmp_path / "two", endpoint="elsewhere")]
    labels = [own.agent for own in compare(runs).tiers[0].standings]
    assert labels == ["llm:model=m [one]", "llm:model=m [two]"]


def test_a_circuit_at_its_best_has_no_normalised_score(tmp_path: Path) -> None:
    info = run_info(("null",), run_id="r")
    with RunFolder.create(tmp_path / "r", info) as run:
        for number, key in enumerate(info.keys()):
            made = episode_of(info, key)
            if number < 2:
                made = replace(made, norm_score=None, success_t1=None, success_t50=None, g_best=made.g0)
            run.append(made)
    run = RunFolder.open(tmp_path / "r")
    own = standing(compare([run]), "null")
    assert (own.n_seeds, own.n_samples, own.complete, own.unscored) == (2, 4, 6, 2)
    assert own.score.mean is not None
    assert standing(compare([run], metric="score"), "null").n_seeds == 3
