"""What can go wrong with a model's service, sorted by what may be done about it."""

import math
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from enum import Enum, auto
from typing import Any, Final, NamedTuple

_AGAIN: Final = frozenset({408, 409, 425, 429})
"""Client errors that pass by themselves; those of the server, from 500, do so too."""

_FINAL: Final = frozenset({401, 402, 403, 404, 405, 410})
"""Errors that no request of this run can avoid: wrong key, no money, no such model or address."""

_BROKE: Final = frozenset({"insufficient_quota", "billing_hard_limit_reached"})
"""Codes under which a 429 will not pass."""

_TOO_LONG: Final = frozenset({"context_length_exceeded", "string_above_max_length"})


class Remedy(Enum):
    """What may be done about a fault."""

    RETRY = auto()
    """Ask again after a while."""
    ADAPT = auto()
    """The service may know a parameter under another name, or not at all."""
    GIVE_UP = auto()
    """This request fails; another may not."""
    SHORTEN = auto()
    """The prompt does not fit the model."""
    STOP = auto()
    """Every request of this run would fail."""


class Fault(NamedTuple):
    """One failed request.

    Attributes:
        remedy: what may be done about it.
        text: what happened, for people; quotes the service at its full length, credentials and all.
        wait: seconds for which the service asks to be left alone, or None.
        quoted: the parameters that a refusal may be about are looked for in here.
    """

    remedy: Remedy
    text: str
    wait: float | None = None
    quoted: str = ""


def status_fault(status: int, body: object, headers: Mapping[str, str] | None = None) -> Fault:
    """Return the fault that an HTTP status and its body describe."""
    detail = _error_of(body)
    code = str(detail.get("code") or detail.get("type") or "")
    text = f"HTTP {status}: {detail.get('message') or body}"
    wait = retry_after(headers or {})
    if status in _FINAL or code in _BROKE:
        return Fault(Remedy.STOP, text)
    if code in _TOO_LONG:
        return Fault(Remedy.SHORTEN, text)
    if status in _AGAIN or status >= 500:
        return Fault(Remedy.RETRY, text, wait)
    if status in (400, 422):
        return Fault(Remedy.ADAPT, text, quoted=str(detail.get("param") or body))
    return Fault(Remedy.GIVE_UP, text)


def body_fault(body: object) -> Fault:
    """Return the fault of a body without a completion that came as a success."""
    error = body.get("error") if isinstance(body, Mapping) else None
    code = error.get("code") if isinstance(error, Mapping) else None
    if type(code) is int and 400 <= code < 600:
        return status_fault(code, body)
    shown = error if error is not None else body
    return Fault(Remedy.RETRY, f"HTTP 200 without a completion: {shown}")


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds of a Retry-After header, given as a number or as a date; None if it says nothing."""
    value = headers.get("retry-after", "").strip()
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - time.time()
        except (ValueError, OverflowError):
            return None
    return seconds if math.isfinite(seconds) and seconds > 0 else None


def _error_of(body: object) -> Mapping[str, Any]:
    """Return the error object of a body, whether the client has unwrapped it or not."""
    if not isinstance(body, Mapping):
        return {}
    error = body.get("error", body)
    return error if isinstance(error, Mapping) else {"message": error}
