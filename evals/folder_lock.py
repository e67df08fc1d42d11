"""A lock that one process at a time can have on a folder, and that ends with the process."""

import fcntl
import os
from pathlib import Path
from typing import Final

_HELD: Final[set[tuple[int, int]]] = set()
"""Locks of this process as (device, inode): the system does not keep a process from its own."""


class LockedError(Exception):
    """Raised when somebody has the lock already."""


class FolderLock:
    """Has the lock from its construction until `release`.

    A process that is killed loses it, and its forked children do not keep it. The file is opened by nobody
    else, for closing any descriptor of it would end the lock.
    """

    def __init__(self, path: Path) -> None:
        if path.exists() and _identity(path.stat()) in _HELD:
            raise LockedError
        self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            os.close(self._file)
            raise LockedError from None
        self._identity = _identity(os.fstat(self._file))
        _HELD.add(self._identity)

    def release(self) -> None:
        """Give the lock back; once."""
        _HELD.remove(self._identity)
        os.close(self._file)


def _identity(found: os.stat_result) -> tuple[int, int]:
    return found.st_dev, found.st_ino
