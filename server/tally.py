"""What a server process counts, as plain integers: a step may not cost more for being counted.

The library's counters take a lock and look up their labels each time. Here every series has a place of its
own in a row of 64-bit integers, which the event loop alone writes. With several workers the row is a file in
a folder that they share, so that any of them can tell the counts of all, also of those that have ended.
"""

import mmap
import os
from bisect import bisect_left
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple
from zlib import crc32

from openenv.core.env_server.mcp_types import JsonRpcErrorCode
from openenv.core.env_server.types import WSErrorCode

from qrewrite.rules import ActionResult
from qrewrite.tasks import TIERS

BUCKETS: Final = (
    25e-6, 50e-6, 100e-6, 250e-6, 500e-6, 1e-3, 2.5e-3, 5e-3, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0
)  # fmt: skip
"""Upper bounds of the step latency's buckets, in seconds."""
OTHER: Final = "other"
"""A label's value for whatever is not expected."""

ENDS: Final = ("client", "lost", "idle", "limit", "shutdown", "error")
"""Why sessions end."""
REFUSALS: Final = ("capacity", "shutdown", "error")
"""Why sessions are not opened."""
_STATUSES: Final = ("400", "404", "405", "409", "413", "422", "500", "501", "503")
_CODES: Final = {
    "ws": tuple(code.value for code in WSErrorCode),
    "mcp": tuple(str(code.value) for code in JsonRpcErrorCode),
    "http": _STATUSES,
}


class Series(NamedTuple):
    """One row of integers' place: the metric's name without prefix and unit, and its labels' values."""

    name: str
    labels: tuple[str, ...] = ()


LAYOUT: Final = (
    Series("sessions_opened"),
    *(Series("sessions_refused", (reason,)) for reason in REFUSALS),
    *(Series("sessions_closed", (reason,)) for reason in ENDS),
    *(Series("steps", (result.value,)) for result in ActionResult if result is not ActionResult.RESET),
    *(Series("resets", (task, transport)) for task in TIERS for transport in ("ws", "http")),
    *(Series("errors", (transport, code)) for transport, codes in _CODES.items() for code in (*codes, OTHER)),
    *(Series("latency", (f"{bound:g}",)) for bound in BUCKETS),
    Series("latency", ("+Inf",)),
    Series("latency_ns"),
)
"""All series, in the order of their places."""
PLACE: Final = {series: place for place, series in enumerate(LAYOUT)}
_BYTES: Final = 8 * len(LAYOUT)
_SUFFIX: Final = f".{crc32(repr(LAYOUT).encode()):08x}.counts"
"""Files of another layout, as of another version, are not looked at."""

_STEP: Final = {result: PLACE.get(Series("steps", (result.value,)), -1) for result in ActionResult}
_BOUNDS: Final = tuple(round(bound * 1e9) for bound in BUCKETS)
_LATENCY: Final = PLACE[Series("latency", (f"{BUCKETS[0]:g}",))]
_LATENCY_NS: Final = PLACE[Series("latency_ns")]


class Tally:
    """The counts of one process; all of it is called on the event loop."""

    def __init__(self, folder: Path | None = None) -> None:
        """Begin at zero.

        Args:
            folder: where workers share their counts; None to keep them in memory.
        """
        self.folder = folder
        self.counts = memoryview(bytearray(_BYTES) if folder is None else _shared(folder)).cast("q")

    def action(self, result: ActionResult) -> None:
        """Count an action of a plan that others followed."""
        self.counts[_STEP[result]] += 1

    def step(self, result: ActionResult, nanoseconds: int) -> None:
        """Count a step by its last action, and how long it took from its frame to its reply."""
        counts = self.counts
        counts[_STEP[result]] += 1
        counts[_LATENCY + bisect_left(_BOUNDS, nanoseconds)] += 1
        counts[_LATENCY_NS] += nanoseconds

    def reset(self, task: str, transport: str) -> None:
        """Count a reset."""
        self.counts[PLACE[Series("resets", (task, transport))]] += 1

    def opened(self) -> None:
        """Count a session that has begun."""
        self.counts[PLACE[Series("sessions_opened")]] += 1

    def refused(self, reason: str) -> None:
        """Count a session that has not begun."""
        self.counts[PLACE[Series("sessions_refused", (reason,))]] += 1

    def closed(self, reason: str) -> None:
        """Count a session that has ended."""
        self.counts[PLACE[Series("sessions_closed", (reason,))]] += 1

    def error(self, transport: str, code: str) -> None:
        """Count an answer that tells of an error."""
        place = PLACE.get(Series("errors", (transport, code)))
        self.counts[PLACE[Series("errors", (transport, OTHER))] if place is None else place] += 1

    def processes(self) -> Iterator["Counted"]:
        """Yield the counts of all processes that share theirs, or of this one."""
        if self.folder is None:
            yield Counted(os.getpid(), True, self.counts.tolist())
            return
        for file in sorted(self.folder.glob(f"*{_SUFFIX}")):
            yield _read(file)


class Counted(NamedTuple):
    """What one process has counted.

    Attributes:
        pid: its id.
        alive: whether it still runs.
        counts: its integers, in the order of LAYOUT.
    """

    pid: int
    alive: bool
    counts: list[int]


def _shared(folder: Path) -> mmap.mmap:
    """Return this process's file in the folder, locked as long as the process runs."""
    import fcntl

    descriptor = os.open(folder / f"{os.getpid()}{_SUFFIX}", os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o644)
    # Never closed: with the process the lock goes, by which the others know that it runs.
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.ftruncate(descriptor, _BYTES)
    return mmap.mmap(descriptor, _BYTES)


def _read(file: Path) -> Counted:
    import fcntl

    with file.open("rb") as opened:
        try:
            fcntl.flock(opened, fcntl.LOCK_SH | fcntl.LOCK_NB)
            alive = False
        except BlockingIOError:
            alive = True
        counts = memoryview(opened.read(_BYTES).ljust(_BYTES, b"\0")).cast("q").tolist()
    return Counted(int(file.name.partition(".")[0]), alive, counts)
