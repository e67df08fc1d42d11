"""What a probe is, and what it finds."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from quantum_circuit_env.evals.audit.subject import Audit


class Status(StrEnum):
    """What came of a probe."""

    PASS = "pass"  # noqa: S105
    FAIL = "fail"
    NOT_APPLICABLE = "not_applicable"
    ERROR = "error"
    """The answers were such that the probe could not make anything of them; counts as a failure."""


class Severity(StrEnum):
    """How much a failure weighs: whether the audit fails for it."""

    FAIL = "fail"
    WARN = "warn"


class AuditError(Exception):
    """Raised when the evaluator answers what no evaluator of this game may; fails the probe that asked."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a probe saw.

    Attributes:
        measured: name → number or text, ready for JSON.
        problems: a sentence for each thing that does not hold; none if the claim holds.
        evidence: further sentences for people.
        reason: why the claim cannot be tried here; None if it was.
    """

    measured: Mapping[str, Any] = field(default_factory=dict)
    problems: Sequence[str] = ()
    evidence: Sequence[str] = ()
    reason: str | None = None


Run: TypeAlias = Callable[["Audit"], Seen]


@dataclass(frozen=True, slots=True)
class Probe:
    """One claim about an evaluator, and how it is tried.

    Attributes:
        id: a letter for its family and a number, e.g. `O1`.
        claim: what must hold, as a sentence.
        check_ids: OpenEnv's ids of the checks that it serves, or ours, which begin with `audit.`.
        severity: what a failure means.
        run: tries it; may raise an AuditError.
    """

    id: str
    claim: str
    check_ids: tuple[str, ...]
    severity: Severity
    run: Run


@dataclass(frozen=True, slots=True)
class Finding:
    """What a probe found.

    Attributes:
        probe: the probe.
        status: whether its claim holds.
        measured: as `Seen` has it.
        evidence: what is wrong, first thing first, then further sentences; at most MAX_EVIDENCE of them.
        reason: in one line, why the claim could not be tried, or the first thing that is wrong.
        seconds: how long it took.
    """

    probe: Probe
    status: Status
    measured: Mapping[str, Any]
    evidence: tuple[str, ...]
    reason: str | None
    seconds: float


MAX_EVIDENCE = 20
"""Sentences that a finding keeps."""

# What a probe stumbles over when an answer lacks a field or has another type in its place.
_MALFORMED = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


def find(probe: Probe, audit: "Audit") -> Finding:
    """Run a probe and return what it found."""
    began = perf_counter()
    broken = False
    try:
        seen = probe.run(audit)
    except AuditError as error:
        seen = Seen(problems=[str(error)])
    except _MALFORMED as error:
        broken = True
        seen = Seen(problems=[f"what is answered cannot be read: {type(error).__name__}: {error}"])
    status = Status.FAIL if seen.problems else Status.NOT_APPLICABLE if seen.reason else Status.PASS
    status = Status.ERROR if broken else status
    reason = seen.problems[0] if seen.problems else seen.reason
    evidence = (*seen.problems, *seen.evidence)[:MAX_EVIDENCE]
    return Finding(probe, status, seen.measured, evidence, reason, perf_counter() - began)
