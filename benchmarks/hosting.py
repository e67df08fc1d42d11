"""Servers of the benchmarks': on 127.0.0.1, on a free port, ended by their process id."""

import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from quantum_circuit_env.server.settings import VARIABLES

START_WITHIN: Final = 180.0
"""Seconds until a server must answer; importing OpenEnv alone takes ten, on a busy machine forty."""

OURS: Final = (sys.executable, "-m", "quantum_circuit_env.server.app")

_DIRECT: Final = urllib.request.build_opener(urllib.request.ProxyHandler({}))


@dataclass(frozen=True, slots=True)
class Server:
    """A server's process and where it listens."""

    process: subprocess.Popen[bytes]
    port: int

    def wait(self, within: float = START_WITHIN) -> None:
        """Return when the server answers, which it must within some seconds."""
        deadline = time.monotonic() + within
        while self.process.poll() is None and time.monotonic() < deadline:
            try:
                _DIRECT.open(f"http://127.0.0.1:{self.port}/health", timeout=5).close()
            except (urllib.error.URLError, ConnectionError, TimeoutError):
                time.sleep(0.02)
            else:
                return
        raise SystemExit(f"error: {' '.join(map(str, self.process.args))} did not start")  # type: ignore[arg-type]

    def cpu_seconds(self) -> float:
        """Return the CPU time of all threads of the process so far, user and system, to the nanosecond."""
        # The clock of another process, as clock_getcpuclockid(3) names it on Linux.
        return time.clock_gettime((~self.process.pid << 3) | 2)


@contextmanager
def serving(command: Sequence[str], folder: str | None = None) -> Iterator[Server]:
    """Run a server that takes --host and --port, with default settings; it may not answer yet."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = int(listener.getsockname()[1])
    environ = {name: value for name, value in os.environ.items() if name not in VARIABLES}
    with tempfile.TemporaryDirectory() as empty:
        process = subprocess.Popen(
            [*command, "--host", "127.0.0.1", "--port", str(port)],
            cwd=folder or empty,
            env=environ | {"LOG_LEVEL": "warning"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        try:
            yield Server(process, port)
        finally:
            process.terminate()
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
