"""The audit's probes tell broken evaluators from a clean one, and say what they found."""

import os
import time
import tomllib
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from functools import partial
from importlib.metadata import EntryPoint
from pathlib import Path
from random import Random

import numpy as np
import pytest
from typer.testing import CliRunner

from qrewrite.circuits import GATES, Circuit, Gate
from qrewrite.game import Position
from quantum_circuit_env.cli import app
from quantum_circuit_env.evals.audit import report
from quantum_circuit_env.evals.audit.calls import modules_called
from quantum_circuit_env.evals.audit.elsewhere import other_pythons
from quantum_circuit_env.evals.audit.graders import GRADERS, GROUP
from quantum_circuit_env.evals.audit.lanes import Lane
from quantum_circuit_env.evals.audit.probe import (
    MAX_EVIDENCE,
    AuditError,
    Probe,
    Seen,
    Severity,
    Status,
    find,
)
from quantum_circuit_env.evals.audit.probes import PROBES
from quantum_circuit_env.evals.audit.reducible import on_wires, reducible
from quantum_circuit_env.evals.audit.report import in_lane, serves
from quantum_circuit_env.evals.audit.self_test import self_test
from quantum_circuit_env.evals.audit.subject import Audit
from quantum_circuit_env.evals.audit.unitary import difference, unitary
from quantum_circuit_env.evals.audit.zoo import CLEAN, MUTANTS
from support.unitary import unitary as by_projectors

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("probe", PROBES)
def test_a_probe_finds_its_mutants_and_nothing_in_a_clean_game(probe: str, clean: Audit) -> None:
    trials = list(self_test([probe], clean=clean))
    assert [
        (trial.name, trial.finding.status, trial.finding.reason) for trial in trials if not trial.right
    ] == []
    assert len(trials) > 1


@pytest.fixture(scope="module")
def clean() -> Audit:
    return Audit(CLEAN, seeds=2)


def test_every_probe_has_two_mutants_or_more() -> None:
    tried = Counter(mutant.probe for mutant in MUTANTS)
    assert set(tried) == set(PROBES)
    assert {probe: count for probe, count in tried.items() if count < 2} == {}


def test_the_documentation_lists_each_probe_with_its_claim_and_checks() -> None:
    rows = [
        [cell.strip() for cell in row.strip("|").split("|")]
        for row in (ROOT / "docs" / "audit.md").read_text(encoding="utf-8").splitlines()
        if row.startswith("| ") and row[2].isupper() and row[3].isdigit()
    ]
    listed = {row[0]: (row[1], row[2], row[3]) for row in rows}
    assert len(listed) == len(rows)
    assert listed == {
        probe.id: (probe.claim, ", ".join(f"`{check}`" for check in probe.check_ids), probe.severity.value)
        for probe in PROBES.values()
    }


def test_the_documentation_lists_the_zoo() -> None:
    text = (ROOT / "docs" / "audit.md").read_text(encoding="utf-8")
    assert [mutant.defect for mutant in MUTANTS if f"- {mutant.probe}: {mutant.defect}\n" not in text] == []


def random_circuit(rng: Random, size: int = 30) -> Circuit:
    names = [rng.choice(list(GATES)) for _ in range(size)]
    return Circuit.of(3, [Gate(name, rng.sample(range(3), GATES[name].arity)) for name in names])


@pytest.mark.parametrize("seed", range(10))
def test_the_audits_matrices_are_those_of_another_implementation(seed: int) -> None:
    circuit = random_circuit(Random(seed))
    ours = unitary([(gate.name, gate.qubits) for gate in circuit.gates], 3)
    assert np.abs(ours - by_projectors(circuit)).max() < 1e-12


def test_matrices_that_differ_are_told_apart() -> None:
    entries, overlap = difference(unitary([("X", (0,))], 1), unitary([("Z", (0,))], 1))
    assert (entries, overlap) == (1.0, 1.0)


def seen(**parts: object) -> Probe:
    return Probe("X1", "A claim.", ("audit.claim",), Severity.FAIL, lambda _audit: Seen(**parts))  # type: ignore[arg-type]


def test_a_finding_is_a_failure_before_it_is_not_applicable(clean: Audit) -> None:
    assert find(seen(), clean).status is Status.PASS
    assert find(seen(reason="no server"), clean).status is Status.NOT_APPLICABLE
    failed = find(seen(problems=["one", "two"], reason="no server", evidence=["three"]), clean)
    assert (failed.status, failed.reason, failed.evidence) == (Status.FAIL, "one", ("one", "two", "three"))
    assert len(find(seen(problems=["wrong"] * 100), clean).evidence) == MAX_EVIDENCE


def test_an_answer_that_no_evaluator_gives_fails_the_probe(clean: Audit) -> None:
    def run(_audit: Audit) -> Seen:
        raise AuditError("nonsense")

    finding = find(Probe("X1", "A claim.", ("audit.claim",), Severity.FAIL, run), clean)
    assert (finding.status, finding.reason) == (Status.FAIL, "nonsense")


def test_what_cannot_be_read_is_an_error(clean: Audit) -> None:
    def run(_audit: Audit) -> Seen:
        return Seen({}["score"])

    finding = find(Probe("X1", "A claim.", ("audit.claim",), Severity.WARN, run), clean)
    assert (finding.status, finding.reason) == (
        Status.ERROR,
        "what is answered cannot be read: KeyError: 'score'",
    )
    assert report.own_verdict([finding]) == "fail"


def test_only_what_counts_fails_the_audit(clean: Audit) -> None:
    failed = find(seen(problems=["wrong"]), clean)
    lenient = Probe("X2", "A claim.", ("audit.claim",), Severity.WARN, lambda _audit: Seen(problems=["odd"]))
    assert report.own_verdict([find(seen(), clean)]) == "pass"
    assert report.own_verdict([find(lenient, clean), find(seen(), clean)]) == "warn"
    assert report.own_verdict([find(seen(reason="no server"), clean)]) == "warn"
    assert report.own_verdict([find(lenient, clean), failed]) == "fail"


def test_a_finding_is_told_with_evidence_measures_checks_and_severity(clean: Audit) -> None:
    finding = find(seen(problems=["wrong"], evidence=["seen twice"], measured={"count": 2}), clean)
    assert list(report.lines(finding)) == [
        "FAIL X1  A claim. [wrong]",
        "       seen twice",
        '       measured: {"count": 2}',
        "       checks: audit.claim; severity: fail",
    ]


def test_the_local_lane_has_openenvs_local_checks_alone() -> None:
    local = {check for probe in PROBES.values() for check in probe.check_ids if in_lane(check, Lane.LOCAL)}
    assert {check.partition(".")[0] for check in local} == {"static", "runtime", "semantic"}
    assert all(in_lane(check, Lane.HUB) for probe in PROBES.values() for check in probe.check_ids)
    assert [probe.id for probe in PROBES.values() if not serves(probe, Lane.LOCAL)] == [
        *("F5", "R5", "D6", "S1", "S2", "E1", "E3", "E4")
    ]


def test_findings_that_serve_one_check_are_folded(clean: Audit) -> None:
    findings = [find(PROBES[name], clean) for name in ("F1", "F2", "U3")]
    folded = report.folded(findings)
    assert [finding.probe.id for finding in folded["semantic.floor_gap"]] == ["F1", "F2"]
    assert list(folded) == sorted(folded)


@pytest.mark.parametrize("seed", range(20))
def test_the_audit_sees_what_can_be_reduced_as_the_rules_do(seed: int) -> None:
    circuit = random_circuit(Random(seed), size=4 + seed % 3)
    gates = [(gate.name, gate.qubits) for gate in circuit.gates]
    assert reducible(gates) == Position(circuit).reducible


def test_the_wires_of_a_circuit_forget_swaps_alone() -> None:
    one = [("H", (0,)), ("X", (1,)), ("CZ", (0, 1))]
    assert on_wires(one, 2) == on_wires([one[1], one[0], one[2]], 2)
    assert on_wires(one, 2) != on_wires([one[0], one[2], one[1]], 2)


@pytest.mark.parametrize(
    ("function", "module"),
    [
        (time.time, "time"),
        (datetime.now, "datetime"),
        (partial(os.environ.get, "X"), "os"),
        (Random(0).random, None),
    ],
)
def test_what_a_function_calls_is_noted(function: Callable[[], object], module: str | None) -> None:
    _, called = modules_called(lambda: function())
    assert module is None or module in called
    assert "socket" not in called
    assert modules_called(lambda: max(1, 2)) == (2, {__name__, "builtins"})


def test_other_pythons_are_asked_and_not_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "python3.12"
    broken.write_text("#!/bin/sh\nexit 127\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    other_pythons.cache_clear()
    try:
        finding = find(PROBES["D6"], Audit(CLEAN, seeds=1))
    finally:
        other_pythons.cache_clear()
    assert (finding.status, finding.reason) == (
        Status.NOT_APPLICABLE,
        "no other Python that is supported is on this machine",
    )


def test_each_grader_that_is_an_entry_point_is_there_under_its_check() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    entries = project["entry-points"][GROUP]
    loaded = {name: EntryPoint(name, value, GROUP).load() for name, value in entries.items()}
    assert {name: grader.check_id for name, grader in loaded.items()} == {name: name for name in entries}
    theirs = {"runtime.reward_well_formed", "runtime.state_contract"}
    assert set(loaded) == {
        check for check in GRADERS if check not in theirs and not check.startswith(("hub.", "audit."))
    }


def test_the_command_tries_the_probes() -> None:
    done = CliRunner().invoke(app, ["audit", "--self-test", "--probe", "M2", "--probe", "E1"])
    assert done.exit_code == 0
    assert done.stdout.splitlines() == [
        "ok    M2  pass: a clean game",
        "ok    M2  fail: NaN is clamped to 0.99, text raises",
        "ok    M2  fail: anything that is true earns the bonus",
        "ok    E1  pass: a clean game",
        "ok    E1  fail: graders give nothing but the floor",
        "ok    E1  fail: hard has no grader",
        "every probe tells its mutants from a clean game",
    ]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "give one of --url, --in-process and --self-test"),
        (["--in-process", "--self-test"], "give one of"),
        (["--self-test", "--probe", "Z9"], "no probe Z9; the probes are O1, O2"),
        (["--self-test", "--out", "x"], "leave --out and --json away"),
        (["--in-process", "--lane", "local", "--probe", "S1"], "S1 serve no check of the lane local"),
        (["--in-process", "--server-log", __file__], "--server-log belongs to --url"),
        (["--in-process", "--lane", "cloud"], "'cloud' is not one of 'local', 'hub'"),
    ],
)
def test_arguments_that_make_no_sense_are_refused(arguments: list[str], told: str) -> None:
    done = CliRunner().invoke(app, ["audit", *arguments])
    assert done.exit_code == 2
    assert told in " ".join(done.stderr.replace("│", " ").split())


def test_a_server_that_is_not_there_cannot_be_audited() -> None:
    done = CliRunner().invoke(app, ["audit", "--url", "http://127.0.0.1:1"])
    assert done.exit_code == 3
    assert "cannot be audited: no session at ws://127.0.0.1:1/ws" in done.stderr
