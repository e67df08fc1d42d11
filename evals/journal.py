"""A file to which whole lines are added and from which whole lines are read, whatever kills the writer."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_NEWLINE: Final = b"\n"


def whole_lines(path: Path) -> Iterator[bytes]:
    """Yield the lines without their ends, none of a file that is not there; a torn last one is left out."""
    if path.exists():
        with path.open("rb") as file:
            for line in file:
                if line.endswith(_NEWLINE):
                    yield line.removesuffix(_NEWLINE)


class Appended:
    """A file to which data are added whole, and which is made if need be; OSError as it comes.

    Args:
        path: the file.
        whole: bytes of it that are whole; what is behind them, of which a writer was killed, is cut off.
    """

    def __init__(self, path: Path, whole: int) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        os.ftruncate(self._file, whole)

    def append(self, data: bytes) -> None:
        """Add data with one write: they are with the system when this returns, or not at all."""
        if not os.fstat(self._file).st_nlink:
            raise OSError("it was deleted while it was written")
        before = os.lseek(self._file, 0, os.SEEK_END)
        written = os.write(self._file, data)
        if written < len(data):
            os.ftruncate(self._file, before)
            raise OSError(f"{written} of {len(data)} bytes were taken")

    def close(self) -> None:
        """See the data onto the disk, and add no more."""
        os.fsync(self._file)
        os.close(self._file)


class Journal:
    """Adds lines to a file, which is made if need be and loses a torn last line; OSError as it comes."""

    def __init__(self, path: Path) -> None:
        self._file = Appended(path, sum(len(line) + len(_NEWLINE) for line in whole_lines(path)))

    def append(self, line: str) -> None:
        """Add one line with one write: it is with the system when this returns, or not at all."""
        self._file.append(line.encode() + _NEWLINE)

    def close(self) -> None:
        """See the lines onto the disk, and add no more."""
        self._file.close()
