"""How often a service may be asked: a token bucket, from which the threads of a run draw together."""

import math
import time
from collections.abc import Callable
from threading import Lock
from typing import Final

_BURST_SECONDS: Final = 1.0
"""What may be saved up while nobody asks; more would exceed the rate in the first minute."""


class Pace:
    """Holds requests back so that there are no more than so many a minute.

    Args:
        per_minute: tokens that the bucket gets a minute, one for each request.
        clock, sleep: as those of `time`.
    """

    def __init__(
        self,
        per_minute: float,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._apart = 60.0 / per_minute
        self._saved = max(0.0, _BURST_SECONDS - self._apart)
        self._clock = clock
        self._sleep = sleep
        self._next = -math.inf
        self._lock = Lock()

    def wait(self, longest: float = math.inf) -> None:
        """Return when the next request may be made, or after `longest` seconds; first come, first served."""
        with self._lock:
            now = self._clock()
            # The moment at which a token is there; it lies in the past while the bucket has some.
            mine = max(self._next, now - self._saved)
            self._next = mine + self._apart
        if mine > now:
            self._sleep(min(mine - now, longest))
