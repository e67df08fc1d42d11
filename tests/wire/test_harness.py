"""The evaluation as a harness of OpenEnv: flat scores that are those of the run, and no false versions."""

from pathlib import Path
from typing import Any

import pytest
from openenv.core.evals import EvalHarness, EvalResult

from quantum_circuit_env.evals.configuration import EvaluateError
from quantum_circuit_env.evals.harness import METRICS, PARAMETERS, CircuitEvalHarness
from quantum_circuit_env.evals.store import RunFolder
from quantum_circuit_env.evals.summary import summary

TIERS = ["easy", "medium"]


def run(harness: CircuitEvalHarness, **parameters: Any) -> EvalResult:
    asked = {"agent": "random-legal", "tiers": TIERS, "seeds": 3, **parameters}
    return harness.run_from_config(harness.config("test", **asked))


def test_scores_are_flat_and_those_of_the_run(tmp_path: Path) -> None:
    harness = CircuitEvalHarness(runs=tmp_path / "runs")
    assert isinstance(harness, EvalHarness)
    result = run(harness, samples=2)
    assert result.config.harness_name == "CircuitEvalHarness"
    assert EvalResult.model_validate_json(result.model_dump_json()) == result
    (folder,) = (tmp_path / "runs").iterdir()
    rows = {row.tier: row for row in summary(RunFolder.open(folder).episodes())}
    ends = ("", "_low", "_high")
    names = {f"{tier}_{metric}{end}" for tier in TIERS for metric in METRICS for end in ends}
    counts = {f"{tier}_{count}" for tier in TIERS for count in ("episodes", "incomplete")}
    assert result.scores.keys() == names | counts | {"evaluator_revision", "run_id"}
    for tier, row in rows.items():
        assert row.score.interval is not None
        assert result.scores[f"{tier}_score"] == row.score.mean
        assert result.scores[f"{tier}_score_low"] == row.score.interval.low
        assert result.scores[f"{tier}_norm_score"] == row.norm_score.mean
        assert (result.scores[f"{tier}_episodes"], result.scores[f"{tier}_incomplete"]) == (6, 0)


def test_a_server_gives_the_scores_of_a_game_in_process(server_url: str) -> None:
    harness = CircuitEvalHarness()
    here, there = run(harness).scores, run(harness, url=server_url).scores
    assert here.pop("run_id") != there.pop("run_id")
    assert here == there


def test_two_evaluations_have_two_folders(tmp_path: Path) -> None:
    harness = CircuitEvalHarness(runs=tmp_path)
    ids = {run(harness, agent="null", seeds=1).scores["run_id"] for _ in range(2)}
    assert {RunFolder.open(folder).info.run_id for folder in tmp_path.iterdir()} == ids


def test_one_seed_has_no_interval() -> None:
    scores = run(CircuitEvalHarness(), agent="null", tiers="easy", seeds=1).scores
    assert scores["easy_score"] == 0.01
    assert scores["easy_score_low"] is None


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"harness_version": "0.0.9"}, "harness_version must be"),
        ({"library_versions": {"openenv": "0.3.0"}}, "library_versions must be as installed: openenv is"),
        ({"library_versions": {"no-such-thing": "1"}}, "no-such-thing is not installed"),
        ({"eval_parameters": {}}, ", ".join(PARAMETERS)),
        ({"eval_parameters": {"agent": "null", "seed": 3}}, ", ".join(PARAMETERS)),
        ({"eval_parameters": {"agent": "null", "seeds": True}}, "seeds must be an integer"),
        ({"eval_parameters": {"agent": "null", "tiers": "easy,none"}}, "the tiers are easy, medium, hard"),
        ({"dataset": "unknown"}, "split"),
    ],
)
def test_what_cannot_be_is_refused_with_what_is_allowed(changed: dict[str, Any], told: str) -> None:
    harness = CircuitEvalHarness()
    config = harness.config("test", agent="null", seeds=1).model_copy(update=changed)
    with pytest.raises(ValueError, match=told):
        harness.run_from_config(config)


def test_the_short_version_will_do() -> None:
    harness = CircuitEvalHarness()
    config = harness.config("test", agent="null", tiers="easy", seeds=1)
    short = config.model_copy(update={"harness_version": config.harness_version.partition("+")[0]})
    assert harness.run_from_config(short).scores["easy_score"] == 0.01
    with pytest.raises(EvaluateError, match="harness_version must be"):
        harness.run_from_config(config.model_copy(update={"harness_version": ""}))
