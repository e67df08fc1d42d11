"""Taking credentials out of texts of somebody else's, which are logged and stored."""

import json
import re
from collections.abc import Iterable
from typing import Final
from urllib.parse import quote

WITHHELD: Final = "(withheld)"
"""What stands for a credential."""

LOOKS: Final = re.compile(
    r"://[^/\s@]*@"
    r"|\b(?:sk|pk|rk|xox[abp])-[-\w]{16,}"
    r"|\b(?:sk|hf|gsk|ghp|gho|ghs|github_pat)_\w{16,}"
    r"|\b(?:AIza|AKIA)[-\w]{12,}"
    r"|\b(?i:api[-_]?key|access[-_]?token|token|secret|password|authorization)[\\\"']*\s*[=:]\s*"
    r"[\\\"']*(?:(?i:bearer|basic|token)\s+)?[^\s\\\"']"
    r"|\b(?i:bearer)\s+\S"
)
"""What looks like a credential, up to its first characters at least."""

_WHOLE: Final = re.compile(rf"(?:{LOOKS.pattern})[^\s\\\"'<>]*")


def masked(text: str, secrets: Iterable[str]) -> str:
    """Return a text with WITHHELD where a known secret stands, as it is or as JSON or a URL spell it."""
    # The longest first, for one may be a part of another.
    for form in sorted({form for secret in secrets if secret for form in _forms(secret)}, key=len)[::-1]:
        text = text.replace(form, WITHHELD)
    return text


def masked_by_looks(text: str) -> str:
    """Return a text with WITHHELD where something stands that looks like a credential, and for all of it."""
    return _WHOLE.sub(WITHHELD, text)


def _forms(secret: str) -> set[str]:
    escaped = json.dumps(secret)[1:-1]
    plain = json.dumps(secret, ensure_ascii=False)[1:-1]
    slashes = {each.replace("/", "\\/") for each in (escaped, plain)}
    return {secret, escaped, plain, *slashes, repr(secret)[1:-1], quote(secret), quote(secret, safe="")}
