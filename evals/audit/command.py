"""`quantum-circuit-env audit`: try an evaluator with the probes, or the probes with broken evaluators."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

import typer

from quantum_circuit_env.evals.audit.lanes import Lane
from quantum_circuit_env.evals.usage import UsageError

if TYPE_CHECKING:
    from quantum_circuit_env.evals.audit.evaluator import Evaluator
    from quantum_circuit_env.evals.audit.report import Result


class Told(NamedTuple):
    """How an audit is told: into which folder, and whether as JSON on standard output."""

    out: Path | None
    as_json: bool


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
    lane: Annotated[
        Lane, typer.Option(help="OpenEnv's lane: local has its local checks only, hub has all and ours.")
    ] = Lane.HUB,
    server_log: Annotated[
        Path | None,
        typer.Option(exists=True, dir_okay=False, help="With --url: the file that the server logs to."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the audit as JSON and nothing else.")
    ] = False,
    seeds: Annotated[int, typer.Option(min=2, max=200, help="Tasks of each tier, of the test split.")] = 20,
    probe: Annotated[list[str] | None, typer.Option(help="Only this probe; may be repeated.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for audit.json, audit.txt and OpenEnv's reports.")
    ] = None,
) -> None:
    """Audit an evaluator: exit status 0 for the verdict pass or warn, 1 for fail, 3 if there is none."""
    from quantum_circuit_env.evals.audit.probes import PROBES
    from quantum_circuit_env.evals.stats.extras import MissingExtraError

    if (url is not None) + in_process + self_test != 1:
        raise UsageError("give one of --url, --in-process and --self-test")
    if unknown := set(probe or ()) - set(PROBES):
        raise UsageError(f"no probe {', '.join(sorted(unknown))}; the probes are {', '.join(PROBES)}")
    if self_test and (out is not None or as_json):
        raise UsageError("--self-test writes no reports: leave --out and --json away")
    if server_log is not None and url is None:
        raise UsageError("--server-log belongs to --url")
    chosen = _chosen(tuple(PROBES) if probe is None else tuple(dict.fromkeys(probe)), lane, named=bool(probe))
    told = Told(out, as_json)
    try:
        status = (
            _self_test(chosen)
            if self_test
            else _audit(_evaluator(url, server_log), chosen, seeds, lane, told)
        )
    except MissingExtraError as error:
        raise UsageError(str(error)) from None
    raise typer.Exit(status)


def _chosen(probes: tuple[str, ...], lane: Lane, *, named: bool) -> tuple[str, ...]:
    """Return the probes that serve a check of the lane; a usage error if one that was named does not."""
    from quantum_circuit_env.evals.audit.probes import PROBES
    from quantum_circuit_env.evals.audit.report import serves

    fitting = tuple(name for name in probes if serves(PROBES[name], lane))
    if named and (others := sorted(set(probes) - set(fitting))):
        raise UsageError(f"{', '.join(others)} serve no check of the lane {lane}")
    return fitting


def _evaluator(url: str | None, log: Path | None) -> "Evaluator":
    from quantum_circuit_env.evals.audit import shipped

    return shipped.in_process() if url is None else shipped.at(url, log)


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


def _audit(evaluator: "Evaluator", probes: Sequence[str], seeds: int, lane: Lane, told: Told) -> int:
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
        if not told.as_json:
            typer.echo("\n".join(report.lines(findings[-1])))
    result = report.Result(evaluator.name, tuple(findings), seeds, lane)
    verdict = report.verdict(result)
    if told.as_json:
        typer.echo(json.dumps(report.as_json(result), indent=2))
    else:
        typer.echo(report.summary(result))
    if told.out is not None:
        _write(told.out, result)
        typer.echo(f"written to {told.out}", err=True)
    return int(verdict == "fail")


def _write(out: Path, result: "Result") -> None:
    from quantum_circuit_env.evals.audit import openenv_report, report

    out.mkdir(parents=True, exist_ok=True)
    told = json.dumps(report.as_json(result), indent=2)
    (out / "audit.json").write_text(told + "\n", encoding="utf-8")
    (out / "audit.txt").write_text(report.text(result), encoding="utf-8")
    for lane in (Lane.LOCAL, result.lane):
        if (theirs := openenv_report.written(result._replace(lane=lane))) is not None:
            (out / f"openenv-{lane}.json").write_text(theirs, encoding="utf-8")
    if not openenv_report.available():
        typer.echo(openenv_report.ABSENT, err=True)
