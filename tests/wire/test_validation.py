"""What `openenv.yaml` declares, tried on a server: the oracle, the canaries and the plan."""

import copy
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from openenv.cli._cli_utils import validate_env_structure
from openenv.validation.manifest import NormalizedManifestV2
from openenv.validation.parsers.openenv_yaml import OpenEnvYamlParser
from openenv.validation.runtime.contracts import load_runtime_plan
from typer.testing import CliRunner

from qrewrite.tasks import TIERS
from quantum_circuit_env.agents.replies import Reply, read_reply
from quantum_circuit_env.evals import oracle
from quantum_circuit_env.evals.canaries import (
    CONDITIONS,
    Canary,
    CanaryError,
    Trace,
    read,
    replay,
    violations,
)
from quantum_circuit_env.server.environment import QuantumCircuitEnvironment
from support.servers import free_port
from support.sockets import session

ROOT = Path(__file__).parents[2]
CANARIES = {
    canary.id: canary
    for canary in read((ROOT / "validation" / "canaries.jsonl").read_text(encoding="utf-8").splitlines())
}
Doctor = Callable[[list[dict[str, Any]]], None]


def played(server_url: str, canary: Canary) -> Trace:
    with session(server_url) as one:
        return replay(canary, one.ask)


def manifest() -> NormalizedManifestV2:
    parsed = OpenEnvYamlParser().parse(ROOT)
    assert isinstance(parsed, NormalizedManifestV2)
    return parsed


def test_openenv_reads_the_declaration_and_the_plan() -> None:
    plan = load_runtime_plan(ROOT, manifest().execution)
    assert plan.actions


def test_the_environment_has_what_the_declaration_says() -> None:
    declared, environment = manifest().capabilities, QuantumCircuitEnvironment()
    assert (environment.rubric is not None) == declared.rubric_tree
    assert declared.task_api
    counts = {split["name"]: split["num_tasks"] for split in environment.list_splits()}
    assert counts == declared.declared_task_count


def test_the_tree_has_the_structure_that_openenv_pushes() -> None:
    validate_env_structure(ROOT)


@pytest.mark.parametrize("canary", CANARIES.values(), ids=list(CANARIES))
def test_what_a_canary_claims_holds(server_url: str, canary: Canary) -> None:
    assert violations(canary, played(server_url, canary)) == []


def test_every_probe_has_a_canary_on_every_tier() -> None:
    probes = {(name.partition(".")[0], name.rpartition(".")[2]) for name in CANARIES}
    assert probes == {(probe, task) for probe in ("F3", "F4", "R2", "T1", "M1") for task in TIERS}


@pytest.mark.parametrize("canary", [one for one in CANARIES.values() if one.replies], ids=lambda one: one.id)
def test_no_reply_of_a_canary_is_read_as_an_action(canary: Canary) -> None:
    assert len(canary.replies) == len(canary.frames)
    for text, kind in canary.replies:
        decision = read_reply(Reply(text))
        assert (decision.action, decision.error) == (None, kind)


def paid(trace: list[dict[str, Any]]) -> None:
    trace[-1]["reward"] = 20.0


def graded(trace: list[dict[str, Any]]) -> None:
    trace[-1]["state"]["score"] = 0.99


def shortened(trace: list[dict[str, Any]]) -> None:
    del trace[-1]["observation"]["observation"]["circuit"][0]


def counted(trace: list[dict[str, Any]]) -> None:
    trace[-1]["state"]["step_count"] += 1


def accepted(trace: list[dict[str, Any]]) -> None:
    trace[1]["error"] = None


def refused_with_effect(trace: list[dict[str, Any]]) -> None:
    trace[1]["state"]["step_count"] = 9


def gates_kept(trace: list[dict[str, Any]]) -> None:
    trace[-1]["reward"] = 1.0
    trace[-1]["state"]["gate_count"] = trace[-2]["state"]["gate_count"]


def running(trace: list[dict[str, Any]]) -> None:
    for seen in trace:
        seen["observation"]["done"] = False


@pytest.mark.parametrize(
    ("name", "condition", "doctor"),
    [
        ("F3.swap_loop.easy", "score", graded),
        ("F3.swap_loop.easy", "return_at_most", paid),
        ("F3.swap_loop.easy", "circuit", shortened),
        ("R2.gains_are_gates.easy", "removed_per_gain", gates_kept),
        ("T1.after_the_last_reduction.easy", "final_after", paid),
        ("T1.after_the_last_reduction.easy", "final_after", counted),
        ("T1.after_the_last_reduction.easy", "final_after", shortened),
        ("T1.after_the_last_reduction.easy", "final_after", running),
        ("F4.garbage_frames.easy", "refused", accepted),
        ("F4.garbage_frames.easy", "refused", refused_with_effect),
    ],
)
def test_each_condition_notices_its_defect(
    server_url: str, name: str, condition: str, doctor: Doctor
) -> None:
    canary, trace = CANARIES[name], played(server_url, CANARIES[name])
    holds = CONDITIONS[condition]
    assert holds(trace, canary.holds[condition]) is None
    told = [copy.deepcopy(seen._asdict()) for seen in trace]
    doctor(told)
    doctored = [type(seen)(**one) for seen, one in zip(trace, told, strict=True)]
    assert holds(doctored, canary.holds[condition]) is not None


@pytest.mark.parametrize(
    "line",
    [
        "",
        "[]",
        '{"id": "F3"}',
        '{"id": "F3", "claim": "", "reset": {}, "frames": [], "holds": {}}',
        '{"id": "F3", "claim": "", "reset": {}, "frames": [], "holds": {"luck": 1}}',
    ],
)
def test_a_line_that_is_no_canary_is_refused(line: str) -> None:
    with pytest.raises(CanaryError, match="line 1"):
        list(read([line]))


def test_a_canary_whose_reset_is_refused_is_an_error(server_url: str) -> None:
    canary = Canary("F3.nowhere", "", {"task": "impossible"}, (), {"score": "floor"})
    with pytest.raises(CanaryError, match="impossible"):
        played(server_url, canary)


def solved(*arguments: object) -> tuple[int, str]:
    script = runpy.run_path(str(ROOT / "validation" / "oracle.py"))
    script["main"].__globals__["PATIENCE"] = 0.0
    ended = CliRunner().invoke(script["app"], list(map(str, arguments)))
    return ended.exit_code, ended.output


@pytest.mark.parametrize("task", TIERS)
def test_the_oracle_attains_the_best_score(server_url: str, task: str) -> None:
    status, told = solved("--url", server_url, "--task", task, "--seed", 0)
    assert status == 0, told
    assert told.startswith(f"attained: task {task}, seed 0: score ")


def test_the_oracle_solves_a_task_of_a_split(server_url: str) -> None:
    status, told = solved("--url", server_url, "--split", "test", "--index", 599)
    assert status == 0, told
    assert told.startswith("attained: task hard, ")


def test_the_oracle_fails_when_its_score_is_not_the_best(
    server_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = oracle.best_plan

    def interrupted(task: str, circuit: Any) -> Any:
        plan, best = honest(task, circuit)
        return plan._replace(actions=plan.actions[:-1]), best

    monkeypatch.setattr(oracle, "best_plan", interrupted)
    status, told = solved("--url", server_url, "--task", "easy", "--seed", 0)
    assert status == 1
    assert told.startswith("MISSED: ")


def test_the_oracle_tells_in_one_line_why_it_could_not_play(server_url: str) -> None:
    for arguments in (
        ("--url", server_url, "--task", "impossible"),
        ("--url", f"http://127.0.0.1:{free_port()}"),
    ):
        status, told = solved(*arguments)
        assert status == 2
        assert told.startswith("not solved: ")
        assert told.count("\n") == 1
