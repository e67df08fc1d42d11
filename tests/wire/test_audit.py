"""The shipped server and the shipped environment under the audit, with the reports in OpenEnv's form."""

import json
from pathlib import Path
from typing import Any

from openenv.validation.policy import apply_policy, load_policy
from openenv.validation.report import CheckResult, ValidationReportV2
from openenv.validation.types import CheckStatus, Lane, Verdict
from typer.testing import CliRunner

from quantum_circuit_env.cli import app
from quantum_circuit_env.evals.audit import report, shipped
from quantum_circuit_env.evals.audit.probe import Finding, Status, find
from quantum_circuit_env.evals.audit.probes import PROBES
from quantum_circuit_env.evals.audit.subject import Audit, Evaluator
from quantum_circuit_env.evals.audit.zoo import MUTANTS

QUICK = ("O1", "F2", "U3", "T1", "M1", "M2", "M3", "D2", "D3", "L1", "L3", "I1", "I2", "E1")
"""Probes that take little time on two tasks of each tier."""


def found(evaluator: Evaluator) -> dict[str, Finding]:
    audit = Audit(evaluator, seeds=2)
    return {name: find(PROBES[name], audit) for name in QUICK}


def test_the_server_passes_and_what_does_not_apply_says_why(server_url: str) -> None:
    findings = found(shipped.at(server_url))
    assert {name: one.reason for name, one in findings.items() if one.status is Status.FAIL} == {}
    skipped = {name: one.reason for name, one in findings.items() if one.status is Status.NOT_APPLICABLE}
    assert skipped == {"M3": "a client over the wire gets JSON of its own"}


def test_the_environment_passes_in_process() -> None:
    findings = found(shipped.in_process())
    assert {name: one.reason for name, one in findings.items() if one.status is not Status.PASS} == {}


def reports(tmp_path: Path, *names: str) -> dict[str, Any]:
    probes = [argument for name in names for argument in ("--probe", name)]
    done = CliRunner().invoke(app, ["audit", "--in-process", "--seeds", "2", *probes, "--out", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert (tmp_path / "audit.txt").read_text(encoding="utf-8").count("measured:") == len(names)
    return {
        path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(tmp_path.glob("*.json"))
    }


def test_the_reports_are_openenvs_own(tmp_path: Path) -> None:
    told = reports(tmp_path, "F4", "U3", "E1")
    assert list(told) == ["audit", "openenv-hub", "openenv-local"]
    local, hub = (ValidationReportV2.model_validate(told[f"openenv-{lane}"]) for lane in ("local", "hub"))
    assert [one.check_id for one in local.results] == ["semantic.canary_floor", "semantic.oracle_max"]
    assert {one.check_id for one in hub.results} == {
        "audit.grader_executed",
        "semantic.canary_floor",
        "semantic.oracle_max",
        "statistical.adversarial_floor",
    }
    assert (local.lane, hub.lane, local.verdict, hub.verdict) == (
        Lane.LOCAL,
        Lane.HUB,
        Verdict.PASS,
        Verdict.PASS,
    )
    assert local.manifest is not None
    assert hub.policy_version == "v2+quantum_circuit_env.1"
    assert apply_policy(local.results, load_policy("v2"), Lane.LOCAL) is Verdict.PASS


def test_a_defect_fails_the_check_that_it_belongs_to() -> None:
    broken = next(mutant.evaluator for mutant in MUTANTS if mutant.probe == "U3")
    audit = Audit(broken, seeds=2)
    findings = [find(PROBES[name], audit) for name in ("U3", "L2")]
    told = report.openenv_reports("broken", findings, Path(__file__).parents[2])
    local = ValidationReportV2.model_validate_json(told["local"])
    checks: dict[str, CheckResult] = {one.check_id: one for one in local.results}
    assert local.verdict is Verdict.FAIL
    assert checks["semantic.oracle_max"].status is CheckStatus.FAIL
    assert checks["semantic.oracle_max"].evidence[0].startswith("U3: SWAP on [0, 1] and on [1, 0]")
    assert checks["static.task_distribution_pinning"].status is CheckStatus.PASS
