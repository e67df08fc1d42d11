"""Time that is left for a run, and for one call of something that blocks."""

import threading
import time
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import TypeVar

_T = TypeVar("_T")


class Deadline:
    """A moment after which nothing new is begun."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds that are left, 0.0 when it is over."""
        return max(0.0, self._end - time.monotonic())

    @property
    def over(self) -> bool:
        """Whether nothing is left."""
        return self.left == 0.0


def within(seconds: float, call: Callable[[], _T]) -> _T | None:
    """Return what the call returns, or None when it takes longer than `seconds`; the call must not raise.

    It runs in a thread of its own, which is then left to itself: the time-out of a socket bounds neither a
    service that sends a byte now and then nor the look-up of its name.
    """
    outcome: SimpleQueue[_T] = SimpleQueue()
    threading.Thread(target=lambda: outcome.put(call()), name="bounded-call", daemon=True).start()
    try:
        return outcome.get(timeout=seconds)
    except Empty:
        return None
