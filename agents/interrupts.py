"""Ending a run on a signal: at once, but never in the middle of what has to be whole."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

_SIGNALS: Final = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)


class Interrupts:
    """Turns the first signal to end into a SystemExit of 128 + its number; later ones change nothing."""

    def __init__(self) -> None:
        self._held = False
        self._received: int | None = None

    def install(self) -> None:
        """Handle the signals from now on, but for those that whoever started the process has turned off."""
        for number in _SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._receive)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold a signal back until the block is through."""
        if self._held:
            yield
            return
        self._held = True
        try:
            yield
        finally:
            self._held = False
            self._leave()

    def _receive(self, number: int, _frame: FrameType | None) -> None:
        for each in _SIGNALS:
            signal.signal(each, signal.SIG_IGN)
        self._received = number
        if not self._held:
            self._leave()

    def _leave(self) -> None:
        # Asked again after each block that was held: a library may have swallowed the first exit.
        if self._received is not None:
            raise SystemExit(128 + self._received)
