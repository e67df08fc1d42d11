"""Clients that do not keep to any protocol: raw sockets, and frames of any bytes."""

import select
import socket
import struct
import time
from typing import Final

TEXT, BINARY, CLOSE, PING, PONG, CONTINUED = 0x1, 0x2, 0x8, 0x9, 0xA, 0x0
"""Opcodes of RFC 6455, section 5.2."""

_MASK: Final = bytes(4)


def frame(
    payload: bytes = b"",
    opcode: int = TEXT,
    *,
    final: bool = True,
    masked: bool = True,
    size: int | None = None,
) -> bytes:
    """Return a frame with a mask of zeros, as a client sends it.

    Args:
        payload: what the frame carries.
        opcode: any number of four bits.
        final: whether no fragment follows.
        masked: a client's frame must be.
        size: the payload's size that the frame tells of, if not the true one.
    """
    size = len(payload) if size is None else size
    mark = 0x80 if masked else 0
    head = bytes([(0x80 if final else 0) | opcode])
    if size < 126:
        head += bytes([mark | size])
    elif size < 2**16:
        head += bytes([mark | 126]) + struct.pack("!H", size)
    else:
        head += bytes([mark | 127]) + struct.pack("!Q", size)
    return head + (_MASK if masked else b"") + payload


def raw_connection(url: str) -> socket.socket:
    """Return a TCP connection to the server."""
    host, _, port = url.removeprefix("http://").partition(":")
    return socket.create_connection((host, int(port)), timeout=60)


def drop(raw: socket.socket) -> None:
    """Close a socket so that the kernel sends a reset in place of an orderly end."""
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    raw.close()


def flood(raw: socket.socket, piece: bytes, most: int, *, patience: float = 1.0) -> int:
    """Send a piece over and over without reading, until the server takes no more or it is `most` bytes.

    Returns:
        The bytes sent; `most` or more if the server took them all.
    """
    raw.setblocking(False)
    sent, rest = 0, b""
    many = piece * max(1, 2**16 // len(piece))
    try:
        while sent < most and select.select([], [raw], [], patience)[1]:
            rest = rest or many
            count = raw.send(rest)
            sent, rest = sent + count, rest[count:]
    except OSError:  # the server has closed the connection
        pass
    finally:
        raw.settimeout(60)
    return sent


def ends(raw: socket.socket, seconds: float = 30.0) -> bool:
    """Whether the server closes the connection in time; what it says before is skipped."""
    deadline = time.monotonic() + seconds
    try:
        while (left := deadline - time.monotonic()) > 0:
            raw.settimeout(left)
            if not raw.recv(2**16):
                return True
    except TimeoutError:
        return False
    except OSError:
        return True
    return False
