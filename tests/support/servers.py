"""Servers of the tests' own: on 127.0.0.1, on a free port, ended by their process id."""

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

START_WITHIN: Final = 120.0
"""Seconds until a started server must answer; importing OpenEnv alone takes ten on a slow machine."""

OURS: Final = (
    "QUANTUM_TASK",
    "MAX_CONCURRENT_ENVS",
    "PORT",
    "HOST",
    "WORKERS",
    "ENABLE_WEB_INTERFACE",
    "LOG_LEVEL",
    "LOG_FORMAT",
    "IDLE_TIMEOUT_S",
    "SHUTDOWN_TIMEOUT_S",
    "MAX_MESSAGE_BYTES",
    "MAX_CIRCUIT_GATES",
    "MAX_CIRCUIT_QUBITS",
    "MAX_SESSION_REQUESTS",
    "MAX_REQUESTS_PER_SECOND",
    "METRICS_DIR",
)
"""The server's variables, kept away from servers that a test does not give them to."""

SERVER: Final = (sys.executable, "-m", "quantum_circuit_env.server.app")

_DIRECT: Final = urllib.request.build_opener(urllib.request.ProxyHandler({}))
"""Opens URLs past any proxy."""


def environ(**variables: str) -> dict[str, str]:
    """Return this process's environment with these variables of the server and no others of them."""
    return {name: value for name, value in os.environ.items() if name not in OURS} | variables


def free_port() -> int:
    """Return a port of 127.0.0.1 that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@contextmanager
def serving(
    folder: Path, command: Sequence[str] = SERVER, variables: Mapping[str, str] | None = None
) -> Iterator[str]:
    """Run a server in `folder` and yield its base URL once it answers; its output goes to `server.log`."""
    with running(folder, command, variables) as (url, _):
        yield url


@contextmanager
def running(
    folder: Path, command: Sequence[str] = SERVER, variables: Mapping[str, str] | None = None
) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Do what `serving` does, and yield the server's process too."""
    port = free_port()
    log = folder / "server.log"
    with log.open("w") as output:
        process = subprocess.Popen(
            [*command, "--host", "127.0.0.1", "--port", str(port)],
            cwd=folder,
            env=environ(**(variables or {})),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            url = f"http://127.0.0.1:{port}"
            _wait_until_healthy(url, process, log)
            yield url, process
        finally:
            stop(process)


def _wait_until_healthy(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    """Return when the server answers; fail with its output when it ends or takes too long."""
    deadline = time.monotonic() + START_WITHIN
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with _DIRECT.open(f"{url}/health", timeout=5):
                return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.05)
    raise RuntimeError(f"the server did not start:\n{log.read_text()}")


def stop(process: subprocess.Popen[bytes]) -> None:
    """End a process that a test has started."""
    if process.poll() is None:
        process.terminate()
    try:
        process.wait(timeout=20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
