"""`quantum-circuit-env audit`: try an evaluator with the probes, or the probes with broken evaluators."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, cast

import typer

if TYPE_CHECKING:
    from quantum_circuit_env.evals.audit.probe import Finding
    from quantum_circuit_env.evals.audit.subject import Evaluator

# Typer's versions differ in where usage errors are; this is the parent of the one that all of them export.
_UsageError = cast("type[typer.BadParameter]", typer.BadParameter.__base__)

BROKEN: Final = 3
"""Exit status when the audit itself could not be run, as of `openenv validate`."""


def audit(
    url: Annotated[str | None, typer.Option(help="Address of the server to audit.")] = None,
    in_process: Annotated[
        bool, typer.Option("--in-process", help="Audit the environment without a server.")
    ] = False,
    self_test: Annotated[
        bool, typer.Option("--self-test", help="Try the probes themselves, on broken evaluators.")
    ] = False,
    seeds: Annotated[int, typer.Option(min=2, max=200, help="Tasks of each tier, of the test split.")] = 20,
    probe: Annotated[list[str] | None, typer.Option(help="Only this probe; may be repeated.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for audit.json, audit.txt and OpenEnv's two reports.")
    ] = None,
) -> None:
    """Audit an evaluator: exit status 0 if all probes pass, 1 if one fails, 3 if it cannot be audited."""
    from quantum_circuit_env.evals.audit.probes import PROBES
    from quantum_circuit_env.evals.extras import MissingExtraError

    if (url is not None) + in_process + self_test != 1:
        raise _UsageError("give one of --url, --in-process and --self-test")
    if unknown := set(probe or ()) - set(PROBES):
        raise _UsageError(f"no probe {', '.join(sorted(unknown))}; the probes are {', '.join(PROBES)}")
    if self_test and out is not None:
        raise _UsageError("--self-test writes no reports: leave --out away")
    chosen = tuple(PROBES) if probe is None else tuple(probe)
    try:
        status = _self_test(chosen) if self_test else _audit(_evaluator(url), chosen, seeds, out)
    except MissingExtraError as error:
        raise _UsageError(str(error)) from None
    raise typer.Exit(status)


def _evaluator(url: str | None) -> "Evaluator":
    from quantum_circuit_env.evals.audit import shipped

    return shipped.in_process() if url is None else shipped.at(url)


def _self_test(probes: Sequence[str]) -> int:
    """Try the probes and return the exit status."""
    from quantum_circuit_env.evals.audit.self_test import self_test

    wrong = 0
    for trial in self_test(probes):
        wrong += not trial.right
        mark = "ok   " if trial.right else "WRONG"
        typer.echo(f"{mark} {trial.finding.probe.id}  {trial.finding.status.value}: {trial.name}")
    typer.echo(
        "every probe tells its mutants from a clean game" if not wrong else f"{wrong} trials are wrong"
    )
    return int(wrong > 0)


def _audit(evaluator: "Evaluator", probes: Sequence[str], seeds: int, out: Path | None) -> int:
    """Run the probes, tell what they find as they find it, and return the exit status."""
    from quantum_circuit_env.evals.audit import report
    from quantum_circuit_env.evals.audit.probe import AuditError, find
    from quantum_circuit_env.evals.audit.probes import PROBES
    from quantum_circuit_env.evals.audit.subject import Audit

    audited = Audit(evaluator, seeds=seeds)
    try:
        with audited.session() as play:
            play.reset()
    except AuditError as error:
        typer.echo(f"cannot be audited: {error}", err=True)
        return BROKEN
    findings = []
    for name in probes:
        findings.append(find(PROBES[name], audited))
        typer.echo(report.line(findings[-1]))
    if out is not None:
        _write(out, evaluator.name, findings, seeds)
    return report.exit_status(findings)


def _write(out: Path, name: str, findings: "Sequence[Finding]", seeds: int) -> None:
    from quantum_circuit_env.evals.audit import report

    root = Path(__file__).parents[2]
    out.mkdir(parents=True, exist_ok=True)
    told = json.dumps(report.as_json(name, findings, seeds=seeds), indent=2)
    (out / "audit.json").write_text(told + "\n", encoding="utf-8")
    (out / "audit.txt").write_text(report.text(name, findings, seeds=seeds), encoding="utf-8")
    for lane, text in report.openenv_reports(name, findings, root).items():
        (out / f"openenv-{lane}.json").write_text(text, encoding="utf-8")
    typer.echo(f"written to {out}")
