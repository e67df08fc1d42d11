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

from support.servers import environ, free_port, running, stop
from support.sockets import session

SERVER = (sys.executable, "-m", "quantum_circuit_env.server")


SCRIPT = (sys.executable, "-c", "from quantum_circuit_env.server.app import main; main()")


@pytest.mark.parametrize("command", [SERVER, SCRIPT], ids=["module", "script"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_can_be_ended_while_it_imports_openenv(
    tmp_path: Path, number: signal.Signals, command: tuple[str, ...]
) -> None:
    process = subprocess.Popen(
        [*command, "--port", str(free_port())], cwd=tmp_path, env=environ(), stderr=subprocess.PIPE, text=True
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
    with running(tmp_path, SERVER) as (url, process), session(url) as playing:
        playing.reset(task="easy", seed=42)
        os.kill(process.pid, signal.SIGTERM)
        with pytest.raises(ConnectionClosed):
            playing.hear()
        assert process.wait(timeout=60) == 0
    assert "Traceback" not in (tmp_path / "server.log").read_text()


def test_workers_can_be_ended_while_they_import_openenv(tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    with log.open("w") as output:
        process = subprocess.Popen(
            [*SERVER, "--host", "127.0.0.1", "--port", str(free_port())],
            cwd=tmp_path,
            env=environ(WORKERS="2"),
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        deadline = time.monotonic() + 120
        while not any(map(_imports_openenv, _children(process.pid))):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        os.kill(process.pid, signal.SIGTERM)
        assert process.wait(timeout=120) == 0
    finally:
        stop(process)
    said = log.read_text()
    assert "Stopping parent process" in said
    assert "Application startup complete" not in said
    assert "Traceback" not in said


TOLD = """
import os, signal, uvicorn
from quantum_circuit_env.server.signals import ending_on_signals
with uvicorn.Server(uvicorn.Config("none:app")).capture_signals():
    os.kill(os.getpid(), signal.SIGTERM)
    with ending_on_signals():
        print("imports", flush=True)
"""


def test_a_worker_that_has_been_told_to_end_imports_nothing() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", TOLD], capture_output=True, text=True, timeout=60, check=False
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


def test_wrong_arguments_and_help_need_no_openenv(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom quantum_circuit_env.server.app import main\n"
        "try:\n    main()\nfinally:\n    print('openenv' in sys.modules)"
    )

    def run(argument: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", code, *argument.split()],
            cwd=tmp_path,
            env=environ(),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    wrong, helped = run("--port abc"), run("--help")
    assert (wrong.returncode, wrong.stdout) == (1, "False\n")
    assert wrong.stderr == "error: PORT must be an integer in 1..65535, got 'abc'\n"
    assert (helped.returncode, helped.stderr) == (0, "")
    assert helped.stdout.endswith("\nFalse\n")


def _children(pid: int) -> list[int]:
    listed = Path(f"/proc/{pid}/task/{pid}/children")
    if not listed.exists():
        pytest.skip("the workers of a process are read from /proc")
    return [int(child) for child in listed.read_text().split()]


def _imports_openenv(pid: int) -> bool:
    """Whether the process has a library that OpenEnv needs, and uvicorn does not."""
    try:
        return "pydantic_core" in Path(f"/proc/{pid}/maps").read_text()
    except OSError:  # it has just ended
        return False


def _has_handler(pid: int, number: signal.Signals) -> bool:
    status = Path(f"/proc/{pid}/status")
    if not status.exists():
        pytest.skip("what a process does with signals is read from /proc")
    (caught,) = re.findall(r"^SigCgt:\s*(\w+)$", status.read_text(), flags=re.MULTILINE)
    return bool(int(caught, 16) >> (number - 1) & 1)
