"""How the server's process ends when it is told to."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed

from support.servers import environ, free_port, stop, wait_until_healthy
from support.sockets import session

SERVER = (sys.executable, "-m", "quantum_circuit_env.server")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_can_be_ended_while_it_imports_openenv(tmp_path: Path, number: signal.Signals) -> None:
    process = subprocess.Popen(
        [*SERVER, "--port", str(free_port())], cwd=tmp_path, env=environ(), stderr=subprocess.PIPE, text=True
    )
    try:
        deadline = time.monotonic() + 60
        while not _has_handler(process.pid, signal.SIGTERM):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        os.kill(process.pid, number)
        said = process.communicate(timeout=60)[1]
    finally:
        stop(process)
    assert (process.returncode, said) == (0, "")


def test_it_ends_with_status_0_and_tells_its_sessions(tmp_path: Path) -> None:
    port = free_port()
    log = tmp_path / "server.log"
    with log.open("w") as output:
        process = subprocess.Popen(
            [*SERVER, "--host", "127.0.0.1", "--port", str(port)],
            cwd=tmp_path,
            env=environ(),
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    url = f"http://127.0.0.1:{port}"
    try:
        wait_until_healthy(url, process, log)
        with session(url) as playing:
            playing.reset(task="easy", seed=42)
            os.kill(process.pid, signal.SIGTERM)
            with pytest.raises(ConnectionClosed):
                playing.hear()
            assert process.wait(timeout=60) == 0
    finally:
        stop(process)
    assert "Traceback" not in log.read_text()


def _has_handler(pid: int, number: signal.Signals) -> bool:
    status = Path(f"/proc/{pid}/status")
    if not status.exists():
        pytest.skip("what a process does with signals is read from /proc")
    (caught,) = re.findall(r"^SigCgt:\s*(\w+)$", status.read_text(), flags=re.MULTILINE)
    return bool(int(caught, 16) >> (number - 1) & 1)
