"""What a witnessed server holds: memory, file descriptors, tasks and threads."""

import json
import time
import urllib.request
from pathlib import Path
from typing import Final, NamedTuple

from support.witnessed import PATH

SETTLED_WITHIN: Final = 60.0
"""Seconds within which a server must have let go of what its clients have left."""

_DIRECT: Final = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Holdings(NamedTuple):
    """What the process holds; bytes, but for the counts."""

    resident: int
    blocks: int
    malloced: int
    tasks: int
    threads: int
    descriptors: int


class Served(NamedTuple):
    """A witnessed server."""

    url: str
    pid: int
    log: Path

    def holdings(self) -> Holdings:
        """Ask the server what it holds."""
        return self._asked("")

    def leak(self, size: int) -> None:
        """Let the server keep so many bytes for ever for each reset and each closed session; 0 for none."""
        self._asked(f"?leak={size}")

    def settled(self, like: Holdings) -> Holdings:
        """Return what the server holds once it has no more tasks and descriptors than it had."""
        now = self.holdings()
        deadline = time.monotonic() + SETTLED_WITHIN
        while now.tasks > like.tasks or now.descriptors > like.descriptors:
            assert time.monotonic() < deadline, f"still held: {now}, at first: {like}"
            time.sleep(0.05)
            now = self.holdings()
        return now

    def _asked(self, query: str) -> Holdings:
        with _DIRECT.open(f"{self.url}{PATH}{query}", timeout=60) as reply:
            return Holdings(resident=resident(self.pid), **json.loads(reply.read()))


def resident(pid: int) -> int:
    """Return the bytes of a process that are in memory."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError(f"no VmRSS of {pid}")
