"""`openenv.yaml` says what the code says, and what `validation/` holds is what the code makes."""

import re
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from qrewrite.game import Episode, Scoring, Termination
from qrewrite.rules import INVALID_REWARD, RULES, ActionResult
from qrewrite.tasks import GAME_VERSION, SPLITS, TIERS, generate
from quantum_circuit_env.evals.trajectories import runtime_plan
from quantum_circuit_env.server.graders import GRADERS, score

ROOT = Path(__file__).parents[2]
DECLARED: dict[str, Any] = yaml.safe_load((ROOT / "openenv.yaml").read_text(encoding="utf-8"))
VALIDATION: dict[str, Any] = DECLARED["validation"]
CAPABILITIES: dict[str, Any] = VALIDATION["capabilities"]


def test_declaration_and_image_name_the_distribution_s_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert DECLARED["version"] == project["version"]
    labels = dict(
        re.findall(r'org\.opencontainers\.image\.(\w+)="(.*?)"', (ROOT / "Dockerfile").read_text("utf-8"))
    )
    assert (labels["version"], labels["licenses"]) == (project["version"], project["license"])
    assert labels["description"] == project["description"]


def test_the_game_version_and_the_splits_are_the_library_s() -> None:
    pin = VALIDATION["task_distribution"]
    assert pin["dataset_version"] == GAME_VERSION
    assert pin["generator_seed"] == SPLITS["train"].first
    assert CAPABILITIES["declared_task_count"] == {name: len(split) for name, split in SPLITS.items()}


def test_the_declared_range_is_that_of_the_rewards() -> None:
    rewards = {INVALID_REWARD, *(rule.reward for rule in RULES.values())}
    assert VALIDATION["reward"]["range"] == [min(rewards), max(rewards)]


def test_the_declared_grade_is_that_of_every_tier() -> None:
    scorings = [Scoring(), *(tier.scoring for tier in TIERS.values())]
    assert {(scoring.floor, scoring.ceiling) for scoring in scorings} == {tuple(DECLARED["grade"]["range"])}


@pytest.mark.parametrize("tier", TIERS.values(), ids=lambda tier: tier.name)
def test_par_is_worth_the_declared_margin_above_the_floor(tier: Any) -> None:
    par = score(tier.scoring, tier.gate_count, tier.par, used_advanced_actions=False)
    assert par - tier.scoring.floor >= VALIDATION["reward"]["floor_margin"]


def test_the_tasks_are_the_tiers() -> None:
    assert [task["id"] for task in DECLARED["tasks"]] == list(TIERS)
    assert [task["difficulty"] for task in DECLARED["tasks"]] == list(TIERS)
    for task, tier in zip(DECLARED["tasks"], TIERS.values(), strict=True):
        assert f"{tier.gate_count} gates on {tier.num_qubits} qubits" in task["description"]
        for dial in (tier.scoring.bonus, tier.scoring.gate):
            assert not dial or str(dial) in task["description"]


@pytest.mark.parametrize("package", ["", "quantum_circuit_env."], ids=["checkout", "installed"])
def test_each_declared_grader_is_found_and_answers_a_cold_call(package: str, tmp_path: Path) -> None:
    graders = [task["grader"] for task in DECLARED["tasks"]]
    assert [grader.partition(":")[2] for grader in graders] == [one.__name__ for one in GRADERS.values()]
    code = "import sys, pkgutil; print(*(pkgutil.resolve_name(name)() for name in sys.argv[1:]))"
    ended = subprocess.run(
        [sys.executable, "-W", "error", "-c", code, *(package + grader for grader in graders)],
        cwd=tmp_path if package else ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    floors = " ".join(str(tier.scoring.floor) for tier in TIERS.values())
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, f"{floors}\n", "")


def test_every_declared_file_is_there() -> None:
    execution = VALIDATION["execution"]
    named = [
        CAPABILITIES["oracle"]["location"],
        CAPABILITIES["canaries"],
        execution["probe_path"],
        execution["dockerfile"],
    ]
    assert all((ROOT / name).is_file() for name in named)


@pytest.mark.parametrize("name", ["task.toml", "task.md"])
def test_no_file_makes_the_package_one_of_another_kind(name: str) -> None:
    assert not list(ROOT.glob(name))


@pytest.mark.parametrize("name", ["runtime.json", "canaries.jsonl"])
def test_the_trajectories_are_what_the_command_writes(name: str) -> None:
    made = runpy.run_path(str(ROOT / "validation" / "make.py"))["files"]()
    path = ROOT / "validation" / name
    assert path.read_text(encoding="utf-8") == made[path], "run `python validation/make.py`"


def test_the_plan_plays_every_rule_and_every_refusal_to_the_end_of_its_episode() -> None:
    plan = runtime_plan()
    task = plan["reset"]["options"]["task"]
    episode = Episode(generate(task, plan["reset"]["seed"]), par=TIERS[task].par)
    results = set()
    for action in plan["actions"]:
        assert not episode.done
        episode.play(**action)
        results.add(episode.action_result)
    assert episode.termination is Termination.OPTIMIZED
    assert results == set(ActionResult) - {ActionResult.RESET, ActionResult.EPISODE_OVER}
