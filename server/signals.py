"""How the server's process ends when it is told to: at once and with exit status 0."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Final, NoReturn

_NUMBERS: Final = (signal.SIGTERM, signal.SIGINT)


def end_on_signals() -> None:
    """Let SIGTERM and SIGINT end this process with exit status 0, from now on.

    While it serves, uvicorn takes both signals, closes the sessions and hands the signal back to the handler
    it found. By default that is none: the exit status would tell of a signal, and the first process of a
    container would not hear of SIGTERM at all while it imports OpenEnv.
    """
    for number in _NUMBERS:
        signal.signal(number, _end)


@contextmanager
def ending_on_signals() -> Iterator[None]:
    """Let SIGTERM and SIGINT end this process in the meantime, and then do what they did before.

    A worker's uvicorn takes both before it imports the application, but looks at them only when it serves. If
    one has come already, the process ends here.
    """
    before = [(number, signal.getsignal(number)) for number in _NUMBERS]
    end_on_signals()
    for number, handler in before:
        if getattr(getattr(handler, "__self__", None), "should_exit", False):
            _end(number, None)
    try:
        yield
    finally:
        for number, handler in before:
            signal.signal(number, handler)


def _end(_number: int, _frame: FrameType | None) -> NoReturn:
    # A signal may come amid a write; what was being written is then lost.
    with suppress(RuntimeError, OSError):
        sys.stdout.flush()
    # Not SystemExit: whoever is being imported may catch it, and a thread at work would be waited for.
    os._exit(0)
