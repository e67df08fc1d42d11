"""A compressed file to which pieces are added and from which whole ones are read, whatever kills the writer.

Each piece is a frame of Zstandard (RFC 8878). Before it stands a skippable frame with two lengths: the bytes
that follow, and the bytes that they unfold to. So a torn last piece is known without unfolding it, and every
tool that reads `.zst` reads the file.
"""

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from quantum_circuit_env.evals.journal import Appended
from quantum_circuit_env.evals.stats.extras import require

_MAGIC: Final = 0x184D2A50
"""The first of the numbers that begin a frame which readers skip."""

_HEADER: Final = struct.Struct("<IIQQ")
"""Magic number, size of what comes next in the header, and the two lengths."""

_LENGTHS: Final = 16


class FramesError(ValueError):
    """Raised for a file whose pieces are not what they should be; says where."""


class _Piece(NamedTuple):
    """Where a piece is: its start, the end of its header, its end, and the bytes that it unfolds to."""

    start: int
    data: int
    end: int
    size: int


def whole_pieces(path: Path) -> Iterator[bytes]:
    """Yield the pieces that were added, none of a file that is not there; a torn last one is left out.

    Raises:
        FramesError: if one has been changed.
        MissingExtraError: without pyarrow.
    """
    arrow = require("pyarrow", extra="eval")
    content = path.read_bytes() if path.exists() else b""
    for piece in _pieces(path, content):
        try:
            found = arrow.decompress(content[piece.data : piece.end], piece.size, codec="zstd", asbytes=True)
        except (OSError, ValueError) as error:
            raise FramesError(f"{path}, byte {piece.start}: {error}") from None
        yield bytes(found)


def _pieces(path: Path, content: bytes) -> Iterator[_Piece]:
    start = 0
    while start + _HEADER.size <= len(content):
        magic, lengths, packed, size = _HEADER.unpack_from(content, start)
        if (magic, lengths) != (_MAGIC, _LENGTHS):
            raise FramesError(f"{path}, byte {start}: no piece begins here")
        data = start + _HEADER.size
        if data + packed > len(content):
            return
        yield _Piece(start, data, data + packed, size)
        start = data + packed


class Frames:
    """Adds pieces to a file, which is made if need be and loses a torn last piece.

    Raises:
        FramesError: if the file is none of this kind.
        MissingExtraError: without pyarrow.
    """

    def __init__(self, path: Path) -> None:
        self._codec = require("pyarrow", extra="eval").Codec("zstd")
        content = path.read_bytes() if path.exists() else b""
        self._file = Appended(path, max((piece.end for piece in _pieces(path, content)), default=0))

    def append(self, piece: bytes) -> None:
        """Add one piece with one write: it is with the system when this returns, or not at all."""
        packed = self._codec.compress(piece, asbytes=True)
        self._file.append(_HEADER.pack(_MAGIC, _LENGTHS, len(packed), len(piece)) + packed)

    def close(self) -> None:
        """See the pieces onto the disk, and add no more."""
        self._file.close()
