"""The shipped server and the shipped environment under the audit, with the reports in OpenEnv's form."""

import json
import tomllib
from pathlib import Path
from typing import Any

from openenv.validation.graders import Grader, Subject
from openenv.validation.parsers.openenv_yaml import OpenEnvYamlParser
from openenv.validation.policy import apply_policy, load_policy
from openenv.validation.report import CheckResult, ValidationReportV2
from openenv.validation.runner import default_grader_registry
from openenv.validation.types import CheckStatus, Lane, Level, Verdict
from openenv.validation.types import Severity as Weight
from typer.testing import CliRunner

from quantum_circuit_env.cli import app
from quantum_circuit_env.evals.audit import openenv_report, shipped
from quantum_circuit_env.evals.audit.graders import GRADERS as OFFERED
from quantum_circuit_env.evals.audit.graders import GROUP
from quantum_circuit_env.evals.audit.lanes import Lane as OurLane
from quantum_circuit_env.evals.audit.probe import Finding, Severity, Status, find
from quantum_circuit_env.evals.audit.probes import PROBES
from quantum_circuit_env.evals.audit.report import Result
from quantum_circuit_env.evals.audit.subject import Audit, Evaluator
from quantum_circuit_env.evals.audit.zoo import MUTANTS

QUICK = ("O1", "F2", "U3", "T1", "M1", "M2", "M3", "D2", "D3", "L1", "L3", "I1", "I2", "E1")
"""Probes that take little time on two tasks of each tier."""


def found(evaluator: Evaluator) -> dict[str, Finding]:
    audit = Audit(evaluator, seeds=2)
    return {name: find(PROBES[name], audit) for name in QUICK}


def test_the_server_passes_and_what_does_not_apply_says_why(server_url: str) -> None:
    findings = found(shipped.at(server_url))
    assert "/openapi.json" in findings["L1"].measured["pages"]
    assert {name: one.reason for name, one in findings.items() if one.status is Status.FAIL} == {}
    skipped = {name: one.reason for name, one in findings.items() if one.status is Status.NOT_APPLICABLE}
    assert skipped == {"M3": "a client over the wire gets JSON of its own"}


def test_the_environment_passes_in_process() -> None:
    findings = found(shipped.in_process())
    assert {name: one.reason for name, one in findings.items() if one.status is not Status.PASS} == {}


def test_what_a_server_logs_is_looked_through(server_url: str, tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    log.write_text("what was before the audit is not its concern: planted\n", encoding="utf-8")
    finding = find(PROBES["L1"], Audit(shipped.at(server_url, log), seeds=1))
    assert (finding.status, finding.measured["logged"]) == (Status.PASS, 0)
    with shipped.at(server_url, log).log() as since:  # type: ignore[misc]
        with log.open("a", encoding="utf-8") as opened:
            opened.write("new")
        assert since() == "new"


def reports(tmp_path: Path, *names: str) -> dict[str, Any]:
    probes = [argument for name in names for argument in ("--probe", name)]
    arguments = ["audit", "--in-process", "--seeds", "2", *probes, "--json", "--out", str(tmp_path)]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout) == json.loads((tmp_path / "audit.json").read_text(encoding="utf-8"))
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
    result = Result("broken", tuple(findings), 2, OurLane.LOCAL)
    local = ValidationReportV2.model_validate_json(openenv_report.written(result) or "")
    checks: dict[str, CheckResult] = {one.check_id: one for one in local.results}
    assert local.verdict is Verdict.FAIL
    assert checks["semantic.oracle_max"].status is CheckStatus.FAIL
    assert (
        checks["semantic.oracle_max"].evidence[0].startswith("U3: easy: Y 2;SWAP 0 1;SWAP 1 0 is not reduced")
    )
    assert checks["static.task_distribution_pinning"].status is CheckStatus.PASS


def test_an_error_fails_and_a_check_that_was_not_tried_is_a_warning() -> None:
    def told(status: Status) -> Verdict:
        finding = Finding(PROBES["D6"], status, {}, (), "why", 0.0)
        return Verdict(openenv_report.verdict(Result("x", (finding,), 2, OurLane.HUB)))

    assert [told(status) for status in (Status.PASS, Status.NOT_APPLICABLE, Status.FAIL, Status.ERROR)] == [
        *(Verdict.PASS, Verdict.WARN, Verdict.FAIL, Verdict.FAIL)
    ]


def test_a_probe_weighs_as_much_as_the_heaviest_of_its_checks() -> None:
    weights = {entry.check_id: entry.severity for entry in load_policy("v2").entries}
    unlike = {
        probe.id: probe.severity
        for probe in PROBES.values()
        if (official := [weights[check] for check in probe.check_ids if check in weights])
        and (Weight.FAIL in official) != (probe.severity is Severity.FAIL)
    }
    assert unlike == {}


def test_openenvs_registry_takes_the_graders_and_selects_them_for_this_package_alone() -> None:
    root = Path(__file__).parents[2]
    policy = load_policy("v2")
    registry = default_grader_registry(policy)
    entries = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"][
        GROUP
    ]
    for name in entries:
        registry.register(OFFERED[name])
    levels = {entry.check_id: entry.level for entry in policy.entries}
    assert {name: OFFERED[name].level for name in entries} == {name: levels[name] for name in entries}
    manifest = OpenEnvYamlParser().parse(root)
    local = {entry.check_id for entry in policy.entries_for_lane(Lane.LOCAL).values()}
    selected = {grader.check_id for grader in registry.select(manifest, Level.SEMANTIC)}
    assert selected == {name for name in entries if name in local} | set(
        default_grader_registry(policy)._graders
    )
    others = registry.select(manifest.model_copy(update={"name": "another_env"}), Level.SEMANTIC)
    assert {grader.check_id for grader in others}.isdisjoint(entries)


def test_a_grader_runs_its_probes_and_has_no_opinion_of_what_they_weigh(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    subject = Subject(root, OpenEnvYamlParser().parse(root), None, None, tmp_path)
    grader = OFFERED["static.task_distribution_pinning"]
    assert isinstance(grader, Grader)
    result = grader.run(subject)
    assert (result.check_id, result.status) == ("static.task_distribution_pinning", CheckStatus.PASS)
    assert set(result.measured) == {"L2"}
