"""One sample of a suite that was run elsewhere, as one line of `samples.jsonl`."""

import json
import math
import re
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from typing import Any, Final, NamedTuple

UNKNOWN: Final = "unknown"
"""Revision of an evaluator that did not say who it was: never equal to that of another file."""

NON_IID: Final = "non_iid"
"""Flag of samples whose later attempts saw the earlier ones: they are sequential, pass@k is not theirs."""

LLM_JUDGED: Final = "llm_judged"
"""Flag of samples whose verdict a language model gave."""

INCOMPLETE: Final = "incomplete"
"""Flag of samples from a file of which others are missing, which the caller allowed."""

FLAGS: Final = frozenset({NON_IID, LLM_JUDGED, INCOMPLETE})

_DIGEST: Final = re.compile("[0-9a-f]{64}")


class SampleError(StrEnum):
    """Why a sample did not pass, where a field of its own says so; never guessed from free text."""

    EMPTY_OUTPUT = "empty_output"
    """An output without content."""
    BUDGET_EXHAUSTED = "budget_exhausted"
    """Cut off at a limit of tokens, messages, time or cost."""
    UNPARSEABLE = "unparseable"
    """Not in the language that was asked for."""
    RUNTIME_ERROR = "runtime_error"
    """Failed while it was executed."""
    TIMEOUT = "timeout"
    """Stopped while it was executed."""
    FAILED = "failed"
    """Judged to be wrong, or failed in a way that the file does not tell."""


class RecordError(ValueError):
    """Raised for values that make no record."""


class SampleKey(NamedTuple):
    """What makes a sample one of its kind."""

    suite: str
    agent_id: str
    task: str
    sample: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleRecord:
    """One independent answer of one agent to one task, with the verdict of the suite's own evaluator.

    Attributes:
        suite: name of the suite.
        task: name of the task in it.
        sample: number of the sample, from 0.
        agent_id: model and settings, as far as the file tells.
        passed: the verdict; null if the suite gives scores only.
        score: the score, finite; null if the suite gives verdicts only. One of both is there.
        valid: whether the output was well formed; null if the file does not say.
        error_class: why it did not pass, a SampleError; null if it passed or the file does not say.
        source_sha256: digest of the file that it was read from.
        evaluator_revision: who judged it, or UNKNOWN.
        flags: of FLAGS, sorted.
    """

    suite: str
    task: str
    sample: int
    agent_id: str
    passed: bool | None = None
    score: float | None = None
    valid: bool | None = None
    error_class: str | None = None
    source_sha256: str
    evaluator_revision: str = UNKNOWN
    flags: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("suite", "task", "agent_id", "evaluator_revision"):
            _text(name, getattr(self, name))
        if type(self.sample) is not int or self.sample < 0:
            raise RecordError(f"`sample` must be an integer from 0, got {self.sample!r}")
        for name in ("passed", "valid"):
            if not isinstance(getattr(self, name), bool | None):
                raise RecordError(f"`{name}` must be true, false or null, got {getattr(self, name)!r}")
        if self.score is not None and (type(self.score) is not float or not math.isfinite(self.score)):
            raise RecordError(f"`score` must be a finite number or null, got {self.score!r}")
        if self.passed is None and self.score is None:
            raise RecordError("`passed` or `score` must be there")
        if self.error_class is not None and self.error_class not in list(SampleError):
            raise RecordError(
                f"`error_class` must be one of {', '.join(SampleError)}, got {self.error_class!r}"
            )
        if not isinstance(self.source_sha256, str) or not _DIGEST.fullmatch(self.source_sha256):
            raise RecordError(f"`source_sha256` must be 64 hexadecimal digits, got {self.source_sha256!r}")
        if self.flags != tuple(flag for flag in sorted(FLAGS) if flag in self.flags):
            raise RecordError(f"`flags` must be sorted and of {', '.join(sorted(FLAGS))}, got {self.flags!r}")

    @property
    def key(self) -> SampleKey:
        """What no other record of a run may share."""
        return SampleKey(self.suite, self.agent_id, self.task, self.sample)

    def to_json(self) -> str:
        """Return the record as a line that `from_json` reads back."""
        return json.dumps(asdict(self), separators=(",", ":"), allow_nan=False)

    @classmethod
    def from_json(cls, line: str) -> "SampleRecord":
        """Return the record of a line; RecordError for any other keys, types or values."""
        try:
            values = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise RecordError(f"no JSON: {error}") from error
        names = {field.name for field in fields(cls)}
        if not isinstance(values, dict) or set(values) != names:
            raise RecordError(f"a record is an object with the keys {', '.join(sorted(names))}")
        return cls(**_read(values))


def _read(values: dict[str, Any]) -> dict[str, Any]:
    """Return the values with what JSON has no type for."""
    if not isinstance(values["flags"], list):
        raise RecordError(f"`flags` must be a list, got {values['flags']!r}")
    return values | {"flags": tuple(values["flags"])}


def _text(name: str, value: object) -> None:
    if not isinstance(value, str) or not value.strip():
        raise RecordError(f"`{name}` must be text with something in it, got {value!r}")
