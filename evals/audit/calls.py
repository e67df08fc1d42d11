"""What a function calls while it runs: clocks, environment variables, sockets and files do not escape it."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, Final, TypeVar

T = TypeVar("T")

OUTSIDE: Final = frozenset(
    {"time", "datetime", "os", "posix", "nt", "socket", "_socket", "ssl", "random", "secrets", "io", "_io"}
    | {"subprocess", "uuid", "urllib", "http", "threading", "logging"}
)
"""Modules through which a function learns of something else than its arguments."""


def modules_called(function: Callable[[], T]) -> tuple[T, frozenset[str]]:
    """Call a function and return its value and the modules of all that it called, however deep."""
    called: set[str] = set()

    def note(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call":
            called.add(str(frame.f_globals.get("__name__", "")))
        elif event == "c_call":
            owner = getattr(argument, "__self__", None)
            kind = owner if isinstance(owner, type) else type(owner)
            called.add(str(argument.__module__ or kind.__module__))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        value = function()
    finally:
        sys.setprofile(before)
    # Setting the profile back is a call, too.
    return value, frozenset(called) - {"sys"}
