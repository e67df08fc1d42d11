"""What an audit found: in OpenEnv's own check ids for its two lanes, as JSON of our own, and as text."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from qrewrite.tasks import GAME_VERSION
from quantum_circuit_env.evals.audit.probe import Finding, Severity, Status

SCHEMA: Final = 1
"""Raised when `audit.json` changes its form."""

POLICY: Final = "v2"
"""OpenEnv's policy that gives its check ids their severity."""

OWN_POLICY: Final = f"{POLICY}+quantum_circuit_env.1"
"""The same with our own check ids beside OpenEnv's."""

UNKNOWN: Final = "unknown: a running evaluator does not show its sources"
"""Stands where OpenEnv has the digest of a package's files."""

_OWN: Final = "audit."
_HUB_ONLY: Final = ("statistical.", "hub.")
_LOCAL: Final = "local"
_HUB: Final = "hub"


def exit_status(findings: Iterable[Finding]) -> int:
    """Return 1 if a probe that counts has failed, else 0."""
    return int(any(_fails(finding) for finding in findings))


def _fails(finding: Finding) -> bool:
    return finding.status is Status.FAIL and finding.probe.severity is Severity.FAIL


def as_json(name: str, findings: Sequence[Finding], *, seeds: int) -> dict[str, Any]:
    """Return the audit as JSON has it, probe by probe."""
    return {
        "schema": SCHEMA,
        "evaluator": name,
        "game_version": GAME_VERSION,
        "seeds_per_tier": seeds,
        "verdict": "fail" if exit_status(findings) else "pass",
        "probes": [_as_json(finding) for finding in findings],
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


def line(finding: Finding) -> str:
    """Return a finding in one line."""
    mark = {Status.PASS: "pass", Status.FAIL: "FAIL", Status.NOT_APPLICABLE: "n/a "}[finding.status]
    text = f"{mark} {finding.probe.id}  {finding.probe.claim}"
    return f"{text} [{' '.join(finding.reason.split())}]" if finding.reason else text


def text(name: str, findings: Sequence[Finding], *, seeds: int) -> str:
    """Return the audit for people: what was found, and what was measured."""
    heads = f"Audit of {name}: game version {GAME_VERSION}, {seeds} seeds a tier"
    lines = [heads, ""]
    for finding in findings:
        lines.append(line(finding))
        lines += [f"       {one}" for one in finding.evidence if one != finding.reason]
        lines.append(f"       measured: {json.dumps(dict(finding.measured))}")
    counts = {status: sum(one.status is status for one in findings) for status in Status}
    lines += ["", ", ".join(f"{count} {status.value.replace('_', ' ')}" for status, count in counts.items())]
    return "\n".join(lines) + "\n"


def folded(findings: Iterable[Finding]) -> dict[str, list[Finding]]:
    """Return check id → the findings that serve it, in the order of the ids."""
    by_id: dict[str, list[Finding]] = {}
    for finding in findings:
        for check_id in finding.probe.check_ids:
            by_id.setdefault(check_id, []).append(finding)
    return dict(sorted(by_id.items()))


def openenv_reports(name: str, findings: Sequence[Finding], root: Path) -> Mapping[str, str]:
    """Return the reports of OpenEnv's lanes, `local` and `hub`, as JSON; imports OpenEnv.

    The local one has OpenEnv's ids of that lane only, as its policy asks; the other has all of them and ours.

    Args:
        name: what was audited.
        findings: what was found.
        root: folder of the package, whose manifest is put into the reports.
    """
    from openenv.validation.policy import load_policy
    from openenv.validation.types import Lane

    checks = folded(findings)
    official = load_policy(POLICY)
    local = {check: found for check, found in checks.items() if not check.startswith((*_HUB_ONLY, _OWN))}
    return {
        _LOCAL: _report(name, local, official, Lane.LOCAL, root),
        _HUB: _report(name, checks, _extended(official, checks), Lane.HUB, root),
    }


def _extended(policy: Any, checks: Mapping[str, Sequence[Finding]]) -> Any:
    """Return the policy with our own ids, each with the weight of its probes."""
    from openenv.validation.policy import PolicyEntry, SeverityPolicy
    from openenv.validation.types import Lane, Level
    from openenv.validation.types import Severity as Weight

    own = [
        PolicyEntry(
            check_id=check,
            level=Level.SEMANTIC,
            lane=Lane.HUB,
            severity=Weight.FAIL
            if any(one.probe.severity is Severity.FAIL for one in found)
            else Weight.WARN,
        )
        for check, found in checks.items()
        if check.startswith(_OWN)
    ]
    return SeverityPolicy(policy_version=OWN_POLICY, entries=[*policy.entries, *own], bounds=policy.bounds)


def _report(name: str, checks: Mapping[str, Sequence[Finding]], policy: Any, lane: Any, root: Path) -> str:
    from openenv.validation.parsers.openenv_yaml import OpenEnvYamlParser
    from openenv.validation.policy import apply_policy
    from openenv.validation.report import ValidationReportV2
    from openenv.validation.types import SignatureKind

    results = [_check(check, found) for check, found in checks.items()]
    levels = {entry.check_id: entry.level for entry in policy.entries}
    report = ValidationReportV2(
        report_schema_version="2",
        target=name,
        source_digest=UNKNOWN,
        signature=SignatureKind.OPENENV_SERVED,
        manifest=OpenEnvYamlParser().parse(root),
        policy_version=policy.policy_version,
        lane=lane,
        levels_run=sorted({levels[check] for check in checks}),
        results=results,
        verdict=apply_policy(results, policy, lane),
    )
    return str(report.model_dump_json(indent=2)) + "\n"


def _check(check: str, found: Sequence[Finding]) -> Any:
    """Return what several probes found about one check: it fails if one of them does."""
    from openenv.validation.report import CheckResult
    from openenv.validation.types import CheckStatus

    statuses = {finding.status for finding in found}
    status = (
        CheckStatus.FAIL
        if Status.FAIL in statuses
        else CheckStatus.PASS
        if Status.PASS in statuses
        else CheckStatus.SKIP
    )
    told = [
        f"{finding.probe.id}: {_plain(text)}"
        for finding in found
        for text in (finding.evidence or ((finding.reason,) if finding.reason else ()))
    ]
    return CheckResult(
        check_id=check,
        status=status,
        measured={finding.probe.id: dict(finding.measured) for finding in found},
        evidence=told or [f"{finding.probe.id}: {finding.probe.claim}" for finding in found],
        remediation=None if status is not CheckStatus.FAIL else "see docs/audit.md for what the probes try",
        duration_s=sum(finding.seconds for finding in found),
    )


def _plain(told: str) -> str:
    return re.sub(r"[^\x20-\x7e]", "?", told)
