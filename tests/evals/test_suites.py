"""Statistics of ingested suites, against values worked out by hand or by trying everything."""

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quantum_circuit_env.evals.ingest.records import SampleRecord
from quantum_circuit_env.evals.ingest.trust import MixedEvaluatorsError
from quantum_circuit_env.evals.standings import Standing
from quantum_circuit_env.evals.stats.families import sign_flips
from quantum_circuit_env.evals.stats.paired import sign_flip_of
from quantum_circuit_env.evals.stats.values import Flag
from quantum_circuit_env.evals.suite_page import render_suites
from quantum_circuit_env.evals.suite_tables import tables
from quantum_circuit_env.evals.suites import RepeatedSampleError, SuiteReport, suite_report
from support.samples import fixture, verdicts


def standing(report: SuiteReport, agent: str, metric: str) -> Standing:
    (found,) = (s for s in report.standings if (s.agent_id, s.metric) == (agent, metric))
    return found


def bounds(found: Standing) -> tuple[float, float, float]:
    assert found.estimate is not None
    assert found.estimate.mean is not None
    assert found.estimate.interval is not None
    assert found.estimate.interval.target == "population"
    return found.estimate.interval.low, found.estimate.mean, found.estimate.interval.high


def test_the_arena_fixture_by_hand() -> None:
    records = [record for record in fixture("arena").records if record.suite == "toy_suite"]
    report = suite_report(records, trust_unknown=True)
    # m-a passes 2 and 1 of 3 samples of its two tasks: the four resamples have the means 2/3, 1/2, 1/2, 1/3.
    assert bounds(standing(report, "m-a", "pass@1")) == pytest.approx((1 / 3, 1 / 2, 2 / 3))
    assert bounds(standing(report, "m-a", "pass@3")) == (1, 1, 1)
    assert bounds(standing(report, "m-b", "pass@1")) == (0, 1 / 2, 1)
    assert standing(report, "m-b", "pass@5").estimate is None
    assert standing(report, "m-a", "pass@1").valid_rate == 5 / 6
    assert [(pair.metric, pair.shared, pair.p, pair.p_holm) for pair in report.pairs] == [
        ("pass@1", 2, 1, 1),
        ("pass@3", 2, 1, 1),
    ]
    first = report.pairs[0].difference
    assert first.interval is not None
    assert (first.interval.low, first.mean, first.interval.high) == pytest.approx((-2 / 3, 0, 2 / 3))


def test_holm_within_a_suite_and_metric_by_hand() -> None:
    tasks = [f"t{number}" for number in range(6)]
    agents = {"a": dict.fromkeys(tasks, "1"), "b": dict.fromkeys(tasks, "0"), "c": dict.fromkeys(tasks, "0")}
    records = verdicts(agents) + verdicts({name: agents[name] for name in "ab"}, suite="other")
    pairs = {(pair.suite, pair.a, pair.b): pair for pair in suite_report(records).pairs}
    # Six equal differences: two of 64 signs are as extreme.
    assert pairs["s", "a", "b"].p == pairs["s", "a", "c"].p == 2 / 64
    assert pairs["s", "a", "b"].p_holm == pairs["s", "a", "c"].p_holm == 3 * 2 / 64
    assert pairs["s", "b", "c"].p == pairs["s", "b", "c"].p_holm == 1
    assert pairs["other", "a", "b"].p_holm == 2 / 64


def pass_at(outcomes: str, k: int) -> float:
    """Share of the k-subsets of samples with a pass among them."""
    subsets = list(combinations(outcomes, k))
    return sum("1" in subset for subset in subsets) / len(subsets)


outcomes = st.text("01", min_size=5, max_size=5)


@settings(deadline=None, max_examples=6)
@given(st.lists(st.tuples(outcomes, outcomes), min_size=2, max_size=3))
def test_small_suites_by_trying_everything(rows: Sequence[tuple[str, str]]) -> None:
    agents = {
        name: {f"t{task}": row[column] for task, row in enumerate(rows)} for column, name in enumerate("ab")
    }
    report = suite_report(verdicts(agents))
    for k in (1, 3, 5):
        values = {name: [pass_at(o, k) for o in tasks.values()] for name, tasks in agents.items()}
        for name, own in values.items():
            low, mean, high = bounds(standing(report, name, f"pass@{k}"))
            draws = sorted(np.mean(draw) for draw in product(own, repeat=len(own)))
            tail = math.ceil(len(draws) / 40)
            assert (low, mean, high) == pytest.approx((draws[tail - 1], np.mean(own), draws[-tail]))
        differences = np.subtract(values["a"], values["b"])
        sums = [abs(np.dot(signs, differences)) for signs in product((-1, 1), repeat=len(rows))]
        (pair,) = (pair for pair in report.pairs if pair.metric == f"pass@{k}")
        assert pair.p == np.mean(np.array(sums) >= abs(differences.sum()) - 1e-9)
        assert pair.difference.mean == pytest.approx(differences.mean())


def test_the_same_results_under_two_names_get_the_same_interval() -> None:
    rng = np.random.default_rng(3)
    tasks = {f"t{task:02}": "".join(rng.choice(list("01"), size=5)) for task in range(30)}
    report = suite_report(verdicts({"a": tasks, "b": tasks}), flips=999)
    for metric in ("pass@1", "pass@3", "pass@5"):
        assert standing(report, "a", metric).estimate == standing(report, "b", metric).estimate
    assert {pair.p for pair in report.pairs} == {1}


def test_rank_agreement_between_suites() -> None:
    def ranked(suite: str, order: str) -> list[SampleRecord]:
        tasks = [f"t{number}" for number in range(4)]
        passes = {name: place for place, name in enumerate(order)}
        agents = {
            name: {task: "1" if number < passes[name] else "0" for number, task in enumerate(tasks)}
            for name in order
        }
        return verdicts(agents, suite=suite)

    report = suite_report(ranked("x", "abcd") + ranked("y", "abcd") + ranked("z", "badc"))
    found = {(one.suite_a, one.suite_b): one for one in report.agreements}
    assert found["x", "y"].agents == ("a", "b", "c", "d")
    # Of the 24 orders two are as extreme as the same order.
    assert (found["x", "y"].spearman.value, found["x", "y"].spearman.p) == pytest.approx((1, 2 / 24))
    # Four places each one off: 1 − 6·4 / (4·15); two of six pairs are turned round.
    assert found["x", "z"].spearman.value == pytest.approx(0.6)
    assert found["x", "z"].kendall.value == pytest.approx((4 - 2) / 6)
    assert {one.metric for one in report.agreements} == {"pass@1"}


def test_rank_agreement_of_two_agents_is_none() -> None:
    records = verdicts({"a": {"t": "1"}, "b": {"t": "0"}}) + verdicts({"a": {"t": "1"}, "b": {"t": "0"}}, "r")
    (found,) = suite_report(records).agreements
    assert (found.spearman.value, found.spearman.flags) == (None, (Flag.TOO_FEW_AGENTS,))


def test_sequential_attempts_have_no_pass_at_k() -> None:
    agents = {"a": {"t": "011", "u": "000"}, "b": {"t": "100", "u": "001"}}
    report = suite_report(verdicts(agents, flags=("non_iid",)))
    assert {found.metric for found in report.standings} == {"sequential@1", "sequential@3", "sequential@5"}
    assert standing(report, "a", "sequential@1").estimate.mean == 0
    assert standing(report, "a", "sequential@3").estimate.mean == 1 / 2
    assert standing(report, "b", "sequential@3").estimate.mean == 1
    assert standing(report, "b", "sequential@5").estimate is None
    assert Flag.NON_IID in standing(report, "a", "sequential@1").estimate.flags


def test_scores_are_means_of_tasks() -> None:
    report = suite_report(fixture("verifiers").records)
    # Rewards 1 and 1/4 of one example, 0 and 1/2 of the other.
    assert bounds(standing(report, "org/m-a", "score")) == (0.25, 0.4375, 0.625)


def test_pairs_are_of_the_tasks_that_both_have() -> None:
    agents = {"a": {"t": "1", "u": "1"}, "b": {"t": "0", "v": "1"}, "c": {"w": "1"}}
    pairs = {(pair.a, pair.b): pair for pair in suite_report(verdicts(agents)).pairs}
    assert (pairs["a", "b"].shared, pairs["a", "b"].dropped, pairs["a", "b"].difference.mean) == (1, 2, 1)
    assert (pairs["a", "c"].shared, pairs["a", "c"].dropped) == (0, 3)
    assert pairs["a", "c"].p is pairs["a", "c"].p_holm is pairs["a", "c"].difference.mean is None
    # What could not be compared is not one of the family.
    assert pairs["a", "b"].p == pairs["a", "b"].p_holm == 1


def test_flags_of_the_samples() -> None:
    report = suite_report(verdicts({"a": {"t": "11", "u": "00"}, "b": {"t": "1", "u": "01"}}))
    assert standing(report, "a", "pass@1").estimate.flags == (Flag.IDENTICAL_SAMPLES,)
    assert standing(report, "b", "pass@1").estimate.flags == (Flag.INCOMPLETE,)
    report = suite_report(verdicts({"a": {"t": "10", "u": "11"}}, flags=("incomplete",)))
    assert standing(report, "a", "pass@1").estimate.flags == (Flag.INCOMPLETE,)


@pytest.mark.parametrize(
    ("first", "second", "trusting"),
    [
        (("v1", "0"), ("v1", "1"), ""),
        (("unknown", "0"), ("unknown", "0"), ""),
        (("unknown", "0"), ("unknown", "1"), "refused"),
        (("unknown", "0"), ("v1", "0"), "refused"),
        (("v1", "0"), ("v2", "0"), "refused trusted or not"),
    ],
)
def test_evaluators_that_may_differ_are_not_compared(
    first: tuple[str, str], second: tuple[str, str], trusting: str
) -> None:
    records = [
        record
        for name, (revision, digit) in zip("ab", (first, second), strict=True)
        for record in verdicts(
            {name: {"t": "1", "u": "0"}}, evaluator_revision=revision, source_sha256=digit * 64
        )
    ]
    assert len(suite_report(records, side_by_side=True).standings) == 6
    assert suite_report(records, side_by_side=True).pairs == ()
    if not trusting:
        assert len(suite_report(records).pairs) == 1
        return
    with pytest.raises(MixedEvaluatorsError, match=r"^s "):
        suite_report(records)
    if trusting == "refused":
        assert len(suite_report(records, trust_unknown=True).pairs) == 1
    else:
        with pytest.raises(MixedEvaluatorsError, match="v1 and v2"):
            suite_report(records, trust_unknown=True)


def test_one_number_never_mixes_evaluators() -> None:
    records = verdicts({"a": {"t": "1"}}) + verdicts({"a": {"u": "1"}}, evaluator_revision="v2")
    with pytest.raises(MixedEvaluatorsError):
        suite_report(records, side_by_side=True)


def test_a_sample_that_is_there_twice_is_refused() -> None:
    with pytest.raises(RepeatedSampleError, match="is there twice"):
        suite_report(verdicts({"a": {"t": "1"}}) * 2)


def test_a_report_is_json_and_does_not_depend_on_the_order_of_records() -> None:
    records = list(fixture("arena").records) + list(fixture("verifiers").records)
    report = suite_report(records, trust_unknown=True)
    assert suite_report(records[::-1], trust_unknown=True) == report
    text = json.dumps(report.as_json(), allow_nan=False)
    assert set(json.loads(text)) == {"standings", "pairs", "ties", "agreements"}


@settings(deadline=None, max_examples=20)
@given(st.integers(1, 20), st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_families_get_the_p_values_of_single_comparisons(seeds: int, size: int, seed: int) -> None:
    differences = np.random.default_rng(seed).integers(-3, 4, size=(size, seeds)) / 3
    singly = [sign_flip_of(row, flips=999).p for row in differences]
    assert sign_flips(differences, flips=999).tolist() == singly


def ladder(levels: Sequence[int], tasks: int = 20) -> list[SampleRecord]:
    """Agents a, b, … of which each passes so many of the tasks, the same ones first."""
    names = [f"t{number:02}" for number in range(tasks)]
    return verdicts(
        {
            agent: {task: "1" if number < level else "0" for number, task in enumerate(names)}
            for agent, level in zip("abcdef", levels, strict=False)
        }
    )


def test_ranks_and_tied_groups() -> None:
    report = suite_report(ladder([20, 18, 0]))
    found = {one.agent_id: one.rank for one in report.standings if one.metric == "pass@1"}
    assert [found[agent].rank for agent in "abc"] == [1, 2, 3]
    # In a resample without one of the two tasks that a has alone, both are at the top.
    assert (found["b"].interval.low, found["b"].interval.high) == (1, 2)
    assert (found["c"].interval.low, found["c"].interval.high) == (3, 3)
    pairs = {(pair.a, pair.b): pair for pair in report.pairs if pair.metric == "pass@1"}
    assert 0 < pairs["a", "b"].mde < pairs["a", "b"].mde_holm
    assert {ties.metric: ties.groups for ties in report.ties}["pass@1"] == (("a", "b"), ("c",))


def test_equal_agents_share_a_rank_and_a_group() -> None:
    report = suite_report(ladder([7, 7]))
    assert {one.rank.rank for one in report.standings if one.metric == "pass@1"} == {1}
    assert report.ties[0].groups == (("a", "b"),)


def test_ranks_are_on_the_tasks_that_all_have() -> None:
    agents = {"a": {"t": "1", "u": "0", "v": "0"}, "b": {"t": "0", "w": "1"}}
    found = {one.agent_id: one.rank for one in suite_report(verdicts(agents)).standings if one.rank}
    assert (found["a"].rank, found["b"].rank, found["a"].interval) == (1, 2, None)
    apart = suite_report(verdicts({"a": {"t": "1"}, "b": {"u": "1"}}))
    assert {one.rank for one in apart.standings} == {None}
    assert apart.ties[0].groups == (("a", "b"),)


def test_what_either_solves_by_hand() -> None:
    agents = {"a": {"t": "10", "u": "00", "v": "01"}, "b": {"t": "00", "u": "01", "v": "00"}}
    report = suite_report(verdicts(agents))
    assert standing(report, "a", "pass@1").coverage == 2 / 3
    (pair,) = (pair for pair in report.pairs if pair.metric == "pass@1")
    assert pair.union is not None
    assert (pair.union.union, pair.union.only_first, pair.union.only_second) == (1, 2, 1)
    # With one sample of each, a solves t and b nothing: less than a alone with two.
    assert (pair.union.gain, pair.union.matched_gain) == pytest.approx((1 / 3, 1 / 3 - 2 / 3))
    # Three tasks are too few for any difference to be found.
    assert pair.mde is pair.mde_holm is None


def test_chains_that_end_at_a_pass_are_whole() -> None:
    agents = {"a": {"t": "1", "u": "001"}, "b": {"t": "01", "u": "000"}}
    report = suite_report(verdicts(agents, flags=("non_iid",)))
    assert standing(report, "a", "sequential@1").estimate.mean == 1 / 2
    assert standing(report, "a", "sequential@3").estimate.mean == 1
    assert standing(report, "b", "sequential@3").estimate.mean == 1 / 2
    assert standing(report, "b", "sequential@3").estimate.flags == (Flag.NON_IID,)
    # Nobody had more than three attempts.
    assert standing(report, "a", "sequential@5").estimate is None


def test_scores_have_pairs_and_ranks_but_no_coverage() -> None:
    records = [
        SampleRecord(
            suite="s",
            task=f"t{task}",
            sample=sample,
            agent_id=agent,
            score=task / 10 + bonus,
            source_sha256="0" * 64,
            evaluator_revision="v1",
        )
        for agent, bonus in (("a", 0.5), ("b", 0.0))
        for task in range(8)
        for sample in range(2)
    ]
    report = suite_report(records)
    assert {one.metric for one in report.standings} == {"score"}
    assert standing(report, "a", "score").coverage is None
    assert standing(report, "a", "score").rank.rank == 1
    (pair,) = report.pairs
    assert (pair.union, pair.p) == (None, 2 / 256)
    assert report.ties[0].groups == (("a",), ("b",))


@settings(deadline=None, max_examples=10)
@given(st.lists(st.integers(0, 6), min_size=2, max_size=5), st.randoms())
def test_names_do_not_matter_to_ranks_and_groups(levels: list[int], random: Any) -> None:
    agents = list("abcdef"[: len(levels)])
    renamed = dict(zip(agents, random.sample(agents, len(agents)), strict=True))
    records = ladder(levels, tasks=6)
    report = suite_report(records, resamples=200)
    other = suite_report([replace(one, agent_id=renamed[one.agent_id]) for one in records], resamples=200)
    ranks = {renamed[one.agent_id]: one.rank for one in report.standings if one.metric == "pass@1"}
    assert ranks == {one.agent_id: one.rank for one in other.standings if one.metric == "pass@1"}
    groups = {frozenset(map(renamed.get, group)) for group in report.ties[0].groups}
    assert groups == {frozenset(group) for group in other.ties[0].groups}


HOSTILE = "<script>alert(1)</script>\x1b[2J[red]:boom:|`x`\n\u202e\ud800"


def test_names_of_others_stay_text() -> None:
    agents = {HOSTILE: {HOSTILE: "1", "u": "0"}, "b": {HOSTILE: "0", "u": "0"}}
    records = verdicts(agents, suite=HOSTILE) + verdicts(agents, suite="other")
    found = list(tables(suite_report(records)))
    texts = [text for table in found for text in (table.title, *table.columns, *chain(*table.rows))]
    assert all(text.isprintable() for text in texts)
    assert any("<script>alert(1)</script>\\x1b[2J[red]:boom:" in text for text in texts)
    pytest.importorskip("jinja2")
    page = render_suites(found)
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;\\x1b[2J[red]:boom:|`x`\\n\\u202e\\ud800" in page


def test_the_page_has_every_cell() -> None:
    jinja2 = pytest.importorskip("jinja2")
    found = list(tables(suite_report(fixture("qceval").records)))
    page = render_suites(found)
    for text in (cell for table in found for cell in (table.title, *table.columns, *chain(*table.rows))):
        assert str(jinja2.utils.markupsafe.escape(text)) in page
    assert "http" not in page.replace("http-equiv", "")


def test_an_agent_with_few_tasks_takes_no_rank_from_the_others() -> None:
    tasks = "tuvwxyz"
    agents = {"a": dict.fromkeys(tasks, "1"), "b": dict.fromkeys(tasks, "0"), "late": {"t": "1"}}
    found = {one.agent_id: one for one in suite_report(verdicts(agents)).standings if one.metric == "pass@1"}
    assert [found[agent].rank.rank for agent in ("a", "b")] == [1, 2]
    assert found["late"].rank is None
    assert Flag.UNRANKED in found["late"].estimate.flags
