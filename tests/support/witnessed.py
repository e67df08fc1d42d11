"""The server with a witness: `/witness` tells what its process holds, and makes it leak when asked to.

Run as a script it takes the arguments of the script `server`, and serves as that does.
"""

import asyncio
import ctypes
import gc
import json
import os
import sys
import threading
from typing import Any, Final
from urllib.parse import parse_qs

PATH: Final = "/witness"

_MALLINFO2: Final = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()  # noqa: SIM905


class _Mallinfo2(ctypes.Structure):
    """What glibc's mallinfo2() returns, in bytes but for the counts."""

    _fields_ = tuple((name, ctypes.c_size_t) for name in _MALLINFO2)


def holdings() -> dict[str, int]:
    """Return what this process holds once its garbage is collected.

    `blocks` are those of Python's own allocator, `malloced` the bytes that C code has from glibc. Unlike
    resident memory neither counts what is free already, so that a few hundred sessions show a leak.
    """
    gc.collect()
    libc = ctypes.CDLL(None)
    libc.mallinfo2.restype = _Mallinfo2
    malloced = libc.mallinfo2()
    return {
        "blocks": sys.getallocatedblocks(),
        "malloced": malloced.uordblks + malloced.hblkhd,
        "tasks": len(asyncio.all_tasks()),
        "threads": threading.active_count(),
        "descriptors": len(os.listdir("/proc/self/fd")),
    }


class Witness:
    """ASGI middleware that answers PATH itself."""

    leak: int = 0
    """Bytes that are kept for ever for each reset and each closed session."""
    leaked: Final[list[bytearray]] = []

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve one connection."""
        if scope["type"] != "http" or scope["path"] != PATH:
            await self._app(scope, receive, send)
            return
        for asked in parse_qs(scope["query_string"].decode()).get("leak", []):
            Witness.leak = int(asked)
            Witness.leaked.clear()
        body = json.dumps(holdings()).encode()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": body})


def _leaking(method: Any) -> Any:
    def leaks(self: Any, /, *arguments: Any, **named: Any) -> Any:
        if Witness.leak:
            Witness.leaked.append(bytearray(Witness.leak))
        return method(self, *arguments, **named)

    return leaks


def main() -> None:
    """Serve."""
    from quantum_circuit_env.server import app as served
    from quantum_circuit_env.server.signals import end_on_signals

    end_on_signals()
    from quantum_circuit_env.server.environment import QuantumCircuitEnvironment

    made = served.create_app

    def witnessed(settings: Any) -> Any:
        app = made(settings)
        app.add_middleware(Witness)
        return app

    served.create_app = witnessed
    for name in ("reset", "close"):
        setattr(QuantumCircuitEnvironment, name, _leaking(getattr(QuantumCircuitEnvironment, name)))
    served.main()


if __name__ == "__main__":
    main()
