"""The server's settings: defaults, what is allowed, and one line for what is not."""

import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

from quantum_circuit_env.server.settings import VARIABLES, Settings, SettingsError, read_settings
from support.servers import OURS, environ

DEFAULTS = {
    "task": "random",
    "sessions": 256,
    "port": 8000,
    "host": "0.0.0.0",  # noqa: S104
    "workers": 1,
    "web": True,
    "log_level": "info",
    "log_format": "json",
    "idle_timeout_s": 3600,
    "shutdown_timeout_s": 5,
    "max_message_bytes": 2_097_152,
    "max_circuit_gates": 10_000,
    "max_circuit_qubits": 64,
    "max_session_requests": 0,
    "max_requests_per_second": 0,
    "metrics_dir": None,
}
NAMES = {
    "task": "QUANTUM_TASK",
    "sessions": "MAX_CONCURRENT_ENVS",
    "port": "PORT",
    "host": "HOST",
    "workers": "WORKERS",
    "web": "ENABLE_WEB_INTERFACE",
    "log_level": "LOG_LEVEL",
    **{name: name.upper() for name in list(DEFAULTS)[7:]},
}


def test_the_variables_are_those_that_are_read() -> None:
    class Asked(dict[str, str]):
        def get(self, name: str, default: object = None) -> None:  # type: ignore[override]
            self[name] = ""

    asked = Asked()
    Settings.from_environ(asked)
    assert set(asked) == set(VARIABLES) == set(NAMES.values()) == set(OURS)


def test_defaults() -> None:
    assert asdict(Settings.from_environ({})) == DEFAULTS
    assert asdict(Settings.from_environ(dict.fromkeys(NAMES.values(), ""))) == DEFAULTS


@pytest.mark.parametrize(
    ("field", "text", "value"),
    [
        ("task", "hard", "hard"),
        ("task", "Easy", "easy"),
        ("sessions", "1", 1),
        ("sessions", "100000", 100_000),
        ("port", "65535", 65_535),
        ("host", "127.0.0.1", "127.0.0.1"),
        ("host", "::1", "::1"),
        ("workers", "4", 4),
        ("web", "false", False),
        ("web", "0", False),
        ("web", "TRUE", True),
        ("log_level", "WARNING", "warning"),
        ("log_format", "Text", "text"),
        ("idle_timeout_s", "0", 0),
        ("idle_timeout_s", "604800", 604_800),
        ("shutdown_timeout_s", "3600", 3600),
        ("max_message_bytes", "1024", 1024),
        ("max_message_bytes", "16777216", 16_777_216),
        ("max_circuit_gates", "1", 1),
        ("max_circuit_qubits", "2", 2),
        ("max_session_requests", "999999999", 999_999_999),
        ("max_requests_per_second", "100", 100),
        ("metrics_dir", ".", "."),
    ],
)
def test_each_variable_is_read(field: str, text: str, value: object) -> None:
    assert asdict(Settings.from_environ({NAMES[field]: text})) == {**DEFAULTS, field: value}


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("QUANTUM_TASK", "extreme", "one of easy, medium, hard, random"),
        ("MAX_CONCURRENT_ENVS", "0", "an integer in 1..100000"),
        ("MAX_CONCURRENT_ENVS", "many", "an integer in 1..100000"),
        ("PORT", "65536", "an integer in 1..65535"),
        ("PORT", "-1", "an integer in 1..65535"),
        ("PORT", "8_000", "an integer in 1..65535"),
        ("PORT", "８０００", "an integer in 1..65535"),
        ("PORT", "9" * 5_000, "an integer in 1..65535"),
        ("HOST", "two words", "without spaces"),
        ("HOST", "line\nbreak", "without spaces"),
        ("WORKERS", "1.5", "an integer in 1..64"),
        ("ENABLE_WEB_INTERFACE", "maybe", "true or false"),
        ("LOG_LEVEL", "loud", "one of critical, error, warning, info, debug, trace"),
        ("LOG_FORMAT", "xml", "one of json, text"),
        ("IDLE_TIMEOUT_S", "-1", "an integer in 0..604800"),
        ("IDLE_TIMEOUT_S", "0.5", "an integer in 0..604800"),
        ("SHUTDOWN_TIMEOUT_S", "never", "an integer in 0..3600"),
        ("MAX_MESSAGE_BYTES", "1023", "an integer in 1024..16777216"),
        ("MAX_MESSAGE_BYTES", "16777217", "an integer in 1024..16777216"),
        ("MAX_CIRCUIT_GATES", "10001", "an integer in 1..10000"),
        ("MAX_CIRCUIT_QUBITS", "0", "an integer in 1..64"),
        ("MAX_SESSION_REQUESTS", "1000000000", "an integer in 0..999999999"),
        ("MAX_REQUESTS_PER_SECOND", "1/s", "an integer in 0..999999999"),
        ("METRICS_DIR", "/nowhere/at/all", "a folder that exists"),
    ],
)
def test_a_wrong_value_is_told_what_is_allowed_in_one_line(name: str, value: str, allowed: str) -> None:
    with pytest.raises(SettingsError) as caught:
        Settings.from_environ({name: value})
    message = str(caught.value)
    assert message.startswith(f"{name} must be ")
    assert allowed in message
    assert "\n" not in message
    assert len(message) < 200


def test_the_process_wins_over_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES.values():
        monkeypatch.delenv(name, raising=False)
    (tmp_path / ".env").write_text("QUANTUM_TASK=hard\nPORT=8001\nWORKERS\nOTHER=1\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PORT", "8002")
    settings = read_settings()
    assert (settings.task, settings.port, settings.workers) == ("hard", 8002, 1)
    assert read_settings({"PORT": "8003"}).port == 8003


UVICORN = (sys.executable, "-m", "uvicorn", "quantum_circuit_env.server.app:app")
SERVER = (sys.executable, "-m", "quantum_circuit_env.server.app")


@pytest.mark.parametrize("command", [UVICORN, SERVER], ids=["uvicorn", "server"])
def test_a_wrong_value_stops_the_start_with_one_line(tmp_path: Path, command: tuple[str, ...]) -> None:
    ended = subprocess.run(
        command,
        cwd=tmp_path,
        env=environ(QUANTUM_TASK="extreme"),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 1
    assert ended.stdout == ""
    assert ended.stderr == "error: QUANTUM_TASK must be one of easy, medium, hard, random, got 'extreme'\n"


def test_a_wrong_value_in_the_file_stops_the_start_too(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("WORKERS=none\n")
    ended = subprocess.run(
        SERVER, cwd=tmp_path, env=environ(), capture_output=True, text=True, timeout=60, check=False
    )
    assert (ended.returncode, ended.stderr) == (1, "error: WORKERS must be an integer in 1..64, got 'none'\n")


def test_a_file_that_is_no_text_stops_the_start_too(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"PORT=\xff\xfe\n")
    ended = subprocess.run(
        SERVER, cwd=tmp_path, env=environ(), capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.returncode == 1
    assert ended.stderr.startswith("error: .env must be a readable UTF-8 text file")
    assert ended.stderr.count("\n") == 1
