"""The audit's probes tell broken evaluators from a clean one, and say what they found."""

import json
from pathlib import Path
from random import Random

import numpy as np
import pytest
from typer.testing import CliRunner

from qrewrite.circuits import GATES, Circuit, Gate
from quantum_circuit_env.cli import app
from quantum_circuit_env.evals.audit import report
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


def test_every_mutant_is_tried_by_a_probe_that_exists() -> None:
    assert {mutant.probe for mutant in MUTANTS} == set(PROBES)


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


def random_circuit(rng: Random) -> Circuit:
    names = [rng.choice(list(GATES)) for _ in range(30)]
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


def test_only_what_counts_fails_the_audit(clean: Audit) -> None:
    failed = find(seen(problems=["wrong"]), clean)
    lenient = Probe("X2", "A claim.", ("audit.claim",), Severity.WARN, lambda _audit: Seen(problems=["odd"]))
    assert report.exit_status([find(lenient, clean), find(seen(), clean)]) == 0
    assert report.exit_status([find(lenient, clean), failed]) == 1
    told = report.as_json("x", [failed], seeds=2)
    assert json.loads(json.dumps(told))["verdict"] == "fail"
    assert "FAIL X1  A claim. [wrong]" in report.text("x", [failed], seeds=2)


def test_findings_that_serve_one_check_are_folded(clean: Audit) -> None:
    findings = [find(PROBES[name], clean) for name in ("F1", "F2", "U3")]
    folded = report.folded(findings)
    assert [finding.probe.id for finding in folded["semantic.floor_gap"]] == ["F1", "F2"]
    assert list(folded) == sorted(folded)


def test_the_command_tries_the_probes() -> None:
    done = CliRunner().invoke(app, ["audit", "--self-test", "--probe", "M2", "--probe", "L2"])
    assert done.exit_code == 0
    assert done.stdout.splitlines() == [
        "ok    M2  pass: a clean game",
        "ok    M2  fail: NaN is clamped to 0.99, text raises",
        "ok    L2  pass: a clean game",
        "ok    L2  fail: the test split is the published seeds",
        "every probe tells its mutants from a clean game",
    ]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "give one of --url, --in-process and --self-test"),
        (["--in-process", "--self-test"], "give one of"),
        (["--self-test", "--probe", "Z9"], "no probe Z9; the probes are O1, O2"),
        (["--self-test", "--out", "x"], "leave --out away"),
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
