"""An audit in OpenEnv's own form: its check ids, its policies and its report, for each of its lanes.

OpenEnv is imported when it is asked for, and a version without policies does without this.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from quantum_circuit_env.evals.audit.lanes import Lane
from quantum_circuit_env.evals.audit.probe import Finding, Severity, Status

if TYPE_CHECKING:
    from quantum_circuit_env.evals.audit.report import Result

POLICY: Final = "v2"
"""OpenEnv's policy that gives its check ids their severity."""

OWN_POLICY: Final = f"{POLICY}+quantum_circuit_env.1"
"""The same with our own check ids beside OpenEnv's."""

ABSENT: Final = "no report in OpenEnv's form: the installed OpenEnv has no policies, openenv>=0.10 has"

UNKNOWN: Final = "unknown: a running evaluator does not show its sources"
"""Stands where OpenEnv has the digest of a package's files."""

ROOT: Final = Path(__file__).parents[2]
"""Folder of the package, whose manifest is put into the reports."""

_OWN: Final = "audit."


@cache
def available() -> bool:
    """Return whether the installed OpenEnv has policies."""
    return find_spec("openenv") is not None and find_spec("openenv.validation") is not None


def verdict(result: "Result") -> str | None:
    """Return what OpenEnv's policy makes of the lane's checks; None without its policies."""
    if not available():
        return None
    from openenv.validation.policy import apply_policy
    from openenv.validation.types import Lane as TheirLane

    checks = [check_result(check, found) for check, found in result.checks.items()]
    told: str = apply_policy(checks, _policy(result), TheirLane(result.lane.value)).value
    return told


def written(result: "Result", root: Path = ROOT) -> str | None:
    """Return the report of the lane as JSON; None without OpenEnv's policies."""
    if not available():
        return None
    from openenv.validation.parsers.openenv_yaml import OpenEnvYamlParser
    from openenv.validation.report import ValidationReportV2, write_report
    from openenv.validation.types import Lane as TheirLane
    from openenv.validation.types import SignatureKind, Verdict

    policy = _policy(result)
    levels = {entry.check_id: entry.level for entry in policy.entries}
    report = ValidationReportV2(
        report_schema_version="2",
        target=result.name,
        source_digest=UNKNOWN,
        signature=SignatureKind.OPENENV_SERVED,
        manifest=OpenEnvYamlParser().parse(root),
        policy_version=policy.policy_version,
        lane=TheirLane(result.lane.value),
        levels_run=sorted({levels[check] for check in result.checks}),
        results=[check_result(check, found) for check, found in result.checks.items()],
        verdict=Verdict(verdict(result)),
    )
    return str(write_report(report)) + "\n"


def _policy(result: "Result") -> Any:
    """Return OpenEnv's policy, for the hub with our own ids in it."""
    from openenv.validation.policy import load_policy

    official = load_policy(POLICY)
    return official if result.lane is Lane.LOCAL else extended(official, result.checks)


def extended(policy: Any, checks: Mapping[str, Sequence[Finding]]) -> Any:
    """Return the policy with our own ids, each with the weight of its probes."""
    from openenv.validation.policy import PolicyEntry, SeverityPolicy
    from openenv.validation.types import Lane as TheirLane
    from openenv.validation.types import Level
    from openenv.validation.types import Severity as Weight

    own = [
        PolicyEntry(check_id=check, level=Level.SEMANTIC, lane=TheirLane.HUB, severity=Weight(_weight(found)))
        for check, found in checks.items()
        if check.startswith(_OWN)
    ]
    return SeverityPolicy(policy_version=OWN_POLICY, entries=[*policy.entries, *own], bounds=policy.bounds)


def _weight(found: Sequence[Finding]) -> str:
    severe = any(one.probe.severity is Severity.FAIL for one in found)
    return (Severity.FAIL if severe else Severity.WARN).value


def check_result(check: str, found: Sequence[Finding]) -> Any:
    """Return what several probes found about one check, as OpenEnv's CheckResult: the worst of it counts."""
    from openenv.validation.report import CheckResult
    from openenv.validation.types import CheckStatus

    statuses = {finding.status for finding in found}
    order = (Status.ERROR, Status.FAIL, Status.PASS)
    worst = next((status.value for status in order if status in statuses), "skip")
    told = [
        f"{finding.probe.id}: {_plain(text)}"
        for finding in found
        for text in (finding.evidence or ((finding.reason,) if finding.reason else ()))
    ]
    return CheckResult(
        check_id=check,
        status=CheckStatus(worst),
        measured={finding.probe.id: dict(finding.measured) for finding in found},
        evidence=told or [f"{finding.probe.id}: {finding.probe.claim}" for finding in found],
        remediation="see docs/audit.md for what the probes try" if worst in ("error", "fail") else None,
        duration_s=sum(finding.seconds for finding in found),
    )


def _plain(told: str) -> str:
    return re.sub(r"[^\x20-\x7e]", "?", told)
