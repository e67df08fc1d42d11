"""JSON as this server takes it: what would break a session behind the front layer is refused before it."""

import json
import math
from typing import Any, Final

MAX_DEPTH: Final = 32
"""Largest nesting of lists and objects."""
MAX_DIGITS: Final = 1_000
"""Largest number of characters of a number."""


class MalformedError(ValueError):
    """Raised for text that is not JSON as this server takes it; says what is allowed."""


def loads(raw: str | bytes) -> Any:
    """Return the value that text, or text in UTF-8, stands for, or raise a MalformedError."""
    try:
        text = raw if isinstance(raw, str) else raw.decode()
        document = _DECODER.decode(text)
    except UnicodeDecodeError:
        raise MalformedError("this is not JSON: it is not even text in UTF-8") from None
    except json.JSONDecodeError as error:
        raise MalformedError(f"this is not JSON: {error.msg} at character {error.pos}") from None
    except RecursionError:
        raise _too_deep() from None
    # Counting brackets bounds the depth at a glance; only long texts need to be walked.
    if isinstance(document, list | dict) and text.count("[") + text.count("{") > MAX_DEPTH:
        _check_depth(document)
    if "\\u" in text:
        _check_unicode(document)
    return document


def _check_depth(document: Any) -> None:
    level = [document]
    for _ in range(MAX_DEPTH):
        level = [
            child
            for node in level
            for child in (node.values() if isinstance(node, dict) else node)
            if isinstance(child, list | dict)
        ]
        if not level:
            return
    raise _too_deep()


def _too_deep() -> MalformedError:
    return MalformedError(f"lists and objects may be nested at most {MAX_DEPTH} deep")


def _check_unicode(document: Any) -> None:
    try:
        json.dumps(document, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise MalformedError(
            "a string holds half of a surrogate pair (\\ud800 to \\udfff); it must be whole Unicode text"
        ) from None


def _integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise MalformedError(f"a number may have at most {MAX_DIGITS} digits, got {len(digits)}")
    return int(digits)


def _number(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise MalformedError(f"{digits[:40]} is too large; numbers must be finite")
    return value


def _constant(name: str) -> float:
    raise MalformedError(f"{name} is not JSON; numbers must be finite")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise MalformedError("an object names one of its keys twice; give each key once")
    return found


_DECODER: Final = json.JSONDecoder(
    parse_int=_integer, parse_float=_number, parse_constant=_constant, object_pairs_hook=_object
)
