"""What an audit found, as JSON of our own and as text for people."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from qrewrite.tasks import GAME_VERSION
from quantum_circuit_env.evals.audit import openenv_report
from quantum_circuit_env.evals.audit.lanes import Lane
from quantum_circuit_env.evals.audit.probe import Finding, Probe, Severity, Status

SCHEMA: Final = 2
"""Raised when `audit.json` changes its form."""

_HUB_ONLY: Final = ("statistical.", "hub.", "audit.")

_MARKS: Final = {
    Status.PASS: "pass",
    Status.FAIL: "FAIL",
    Status.ERROR: "ERROR",
    Status.NOT_APPLICABLE: "n/a ",
}


class Result(NamedTuple):
    """One audit.

    Attributes:
        name: what was audited.
        findings: what was found, probe by probe.
        seeds: tasks of each tier that were played.
        lane: whose checks count.
    """

    name: str
    findings: tuple[Finding, ...]
    seeds: int
    lane: Lane

    @property
    def checks(self) -> dict[str, list[Finding]]:
        """Check id → the findings that serve it; those of the lane, in the order of the ids."""
        found = folded(self.findings)
        return {check: findings for check, findings in found.items() if in_lane(check, self.lane)}


def in_lane(check: str, lane: Lane) -> bool:
    """Return whether a check belongs to a lane: the hub's has all of them."""
    return lane is Lane.HUB or not check.startswith(_HUB_ONLY)


def serves(probe: Probe, lane: Lane) -> bool:
    """Return whether a probe serves a check of the lane."""
    return any(in_lane(check, lane) for check in probe.check_ids)


def folded(findings: Iterable[Finding]) -> dict[str, list[Finding]]:
    """Return check id → the findings that serve it, in the order of the ids."""
    by_id: dict[str, list[Finding]] = {}
    for finding in findings:
        for check_id in finding.probe.check_ids:
            by_id.setdefault(check_id, []).append(finding)
    return dict(sorted(by_id.items()))


def verdict(result: Result) -> str:
    """Return `pass`, `warn` or `fail`: OpenEnv's own verdict where its policies are installed, else ours."""
    theirs = openenv_report.verdict(result)
    return own_verdict(result.findings) if theirs is None else theirs


def own_verdict(findings: Iterable[Finding]) -> str:
    """Return the verdict by the probes' own severities."""
    worst = "pass"
    for finding in findings:
        if finding.status is Status.ERROR:
            return "fail"
        if finding.status is Status.FAIL and finding.probe.severity is Severity.FAIL:
            return "fail"
        if finding.status is not Status.PASS:
            worst = "warn"
    return worst


def as_json(result: Result) -> dict[str, Any]:
    """Return the audit as JSON has it, probe by probe."""
    return {
        "schema": SCHEMA,
        "evaluator": result.name,
        "game_version": GAME_VERSION,
        "seeds_per_tier": result.seeds,
        "lane": result.lane.value,
        "verdict": verdict(result),
        "probes": [_as_json(finding) for finding in result.findings],
    }


def _as_json(finding: Finding) -> dict[str, Any]:
    return {
        "id": finding.probe.id,
        "claim": finding.probe.claim,
        "check_ids": list(finding.probe.check_ids),
        "severity": finding.probe.severity.value,
        "status": finding.status.value,
        "reason": finding.reason,
        "measured": dict(finding.measured),
        "evidence": list(finding.evidence),
        "seconds": round(finding.seconds, 3),
    }


def lines(finding: Finding) -> Iterator[str]:
    """Yield a finding for people: what was claimed and came of it, the evidence, and what was measured."""
    probe = finding.probe
    text = f"{_MARKS[finding.status]} {probe.id}  {probe.claim}"
    yield f"{text} [{' '.join(finding.reason.split())}]" if finding.reason else text
    yield from (f"       {one}" for one in finding.evidence if one != finding.reason)
    yield f"       measured: {json.dumps(dict(finding.measured))}"
    yield f"       checks: {', '.join(probe.check_ids)}; severity: {probe.severity}"


def summary(result: Result) -> str:
    """Return how many probes came out how, and the verdict."""
    counts = Counter(finding.status for finding in result.findings)
    told = ", ".join(f"{counts[status]} {status.value.replace('_', ' ')}" for status in Status)
    return f"{told}; verdict of the lane {result.lane}: {verdict(result)}"


def text(result: Result) -> str:
    """Return the audit for people."""
    head = f"Audit of {result.name}: game version {GAME_VERSION}, {result.seeds} seeds a tier"
    told = (line for finding in result.findings for line in lines(finding))
    return "\n".join((head, "", *told, "", summary(result))) + "\n"
