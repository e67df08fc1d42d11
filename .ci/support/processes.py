"""What /proc tells of processes that a leg has started."""

import os
from contextlib import suppress
from pathlib import Path

LOOPBACK = {"0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000"}
LISTENS = "0A"


def descendants(pid: int) -> set[int]:
    """Return the processes below one, as far as they are still there."""
    found: set[int] = set()
    waiting = [pid]
    while waiting:
        for children in Path(f"/proc/{waiting.pop()}/task").glob("*/children"):
            with suppress(OSError):
                more = set(map(int, children.read_text().split())) - found
                found |= more
                waiting += more
    return found


def listening_beyond(pids: set[int]) -> set[str]:
    """Return the addresses other than loopback on which processes listen, as /proc/net has them."""
    sockets = {name for pid in pids for name in open_files(pid) if name.startswith("socket:[")}
    found = set()
    for table in ("tcp", "tcp6"):
        for row in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            _, local, _, state, *_, inode = row.split()[:10]
            if state == LISTENS and f"socket:[{inode}]" in sockets and local.split(":")[0] not in LOOPBACK:
                found.add(local)
    return found


def open_files(pid: int) -> list[str]:
    """Return what a process has open; nothing of one that has ended."""
    try:
        return [os.readlink(entry) for entry in Path(f"/proc/{pid}/fd").iterdir()]
    except OSError:
        return []
