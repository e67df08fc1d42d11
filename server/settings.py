"""The server's settings, read once, at the edge, into a frozen value."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from dotenv import dotenv_values

from qrewrite.circuits import MAX_GATES, MAX_QUBITS
from qrewrite.tasks import RANDOM, TIERS
from quantum_circuit_env.server.limits import Limits
from quantum_circuit_env.server.protocols import BoundedHttp, BoundedWebSocket

_TASKS: Final = (*TIERS, RANDOM)
_LEVELS: Final = ("critical", "error", "warning", "info", "debug", "trace")
_FORMATS: Final = ("json", "text")
_TRUE: Final = ("true", "1", "yes", "on")
_FALSE: Final = ("false", "0", "no", "off")

UVICORN: Final[Mapping[str, Any]] = {
    # uvloop is what "auto" finds first.
    "loop": "auto",
    "http": BoundedHttp,
    "ws": BoundedWebSocket,
    # A worker answers its supervisor only when it has imported OpenEnv, and is killed if it takes longer.
    "timeout_worker_healthcheck": 120,
    # By then the sessions have ended; one that does not listen is not waited for.
    "timeout_graceful_shutdown": 1,
    # A client that is gone without a word is noticed by its silence.
    "ws_ping_interval": 20.0,
    "ws_ping_timeout": 20.0,
    # Compressing small frames costs more than sending them.
    "ws_per_message_deflate": False,
}
"""How uvicorn serves, whatever the environment says."""

VARIABLES: Final = (
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
"""All environment variables that are read, for whoever keeps them away from a server."""

_MAX_FRAME: Final = 2**24
"""Largest frame in bytes that uvicorn reads by default; a larger one closes its socket."""
_MAX_SECONDS: Final = 7 * 24 * 3600
_MAX_REQUESTS: Final = 999_999_999


class SettingsError(ValueError):
    """Raised for an environment variable with a wrong value; one line that says what is allowed."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What the server is told by its environment; an empty variable counts as unset.

    Attributes:
        task: QUANTUM_TASK, the task of a reset that names none.
        sessions: MAX_CONCURRENT_ENVS, how many sessions one worker serves at a time.
        port: PORT.
        host: HOST, the address to listen on; by default all of them, as a container needs it.
        workers: WORKERS, number of server processes.
        web: ENABLE_WEB_INTERFACE, whether there is a page for people.
        log_level: LOG_LEVEL.
        log_format: LOG_FORMAT, JSON objects for programs or text for people.
        idle_timeout_s: IDLE_TIMEOUT_S, seconds without a frame after which a session ends; 0 for never.
        shutdown_timeout_s: SHUTDOWN_TIMEOUT_S, seconds that replies in flight get when the server ends.
        max_message_bytes: MAX_MESSAGE_BYTES.
        max_circuit_gates: MAX_CIRCUIT_GATES, of a caller's own circuit.
        max_circuit_qubits: MAX_CIRCUIT_QUBITS, of a caller's own circuit.
        max_session_requests: MAX_SESSION_REQUESTS, frames of a session in all; 0 for any number.
        max_requests_per_second: MAX_REQUESTS_PER_SECOND, frames of a session; 0 for any number.
        metrics_dir: METRICS_DIR, the folder in which workers share their counts; None for one that the script
            `server` makes if there are several.
    """

    task: str = RANDOM
    sessions: int = 256
    port: int = 8000
    host: str = "0.0.0.0"  # noqa: S104
    workers: int = 1
    web: bool = True
    log_level: str = "info"
    log_format: str = "json"
    idle_timeout_s: int = 3600
    shutdown_timeout_s: int = 5
    max_message_bytes: int = Limits.message_bytes
    max_circuit_gates: int = Limits.circuit_gates
    max_circuit_qubits: int = Limits.circuit_qubits
    max_session_requests: int = Limits.session_requests
    max_requests_per_second: int = Limits.requests_per_second
    metrics_dir: str | None = None

    @classmethod
    def from_environ(cls, environ: Mapping[str, str]) -> "Settings":
        """Read all variables, or raise a SettingsError about the first that is wrong."""
        return cls(
            task=_choice(environ, "QUANTUM_TASK", cls.task, _TASKS),
            sessions=_number(environ, "MAX_CONCURRENT_ENVS", cls.sessions, 100_000),
            port=_number(environ, "PORT", cls.port, 65_535),
            host=_address(environ, "HOST", cls.host),
            workers=_number(environ, "WORKERS", cls.workers, 64),
            web=_switch(environ, "ENABLE_WEB_INTERFACE", cls.web),
            log_level=_choice(environ, "LOG_LEVEL", cls.log_level, _LEVELS),
            log_format=_choice(environ, "LOG_FORMAT", cls.log_format, _FORMATS),
            idle_timeout_s=_number(environ, "IDLE_TIMEOUT_S", cls.idle_timeout_s, _MAX_SECONDS, 0),
            shutdown_timeout_s=_number(environ, "SHUTDOWN_TIMEOUT_S", cls.shutdown_timeout_s, 3600, 0),
            max_message_bytes=_number(environ, "MAX_MESSAGE_BYTES", cls.max_message_bytes, _MAX_FRAME, 1024),
            max_circuit_gates=_number(environ, "MAX_CIRCUIT_GATES", cls.max_circuit_gates, MAX_GATES),
            max_circuit_qubits=_number(environ, "MAX_CIRCUIT_QUBITS", cls.max_circuit_qubits, MAX_QUBITS),
            max_session_requests=_number(
                environ, "MAX_SESSION_REQUESTS", cls.max_session_requests, _MAX_REQUESTS, 0
            ),
            max_requests_per_second=_number(
                environ, "MAX_REQUESTS_PER_SECOND", cls.max_requests_per_second, _MAX_REQUESTS, 0
            ),
            metrics_dir=_folder(environ, "METRICS_DIR"),
        )

    @property
    def limits(self) -> Limits:
        """How much a client may send."""
        return Limits(
            message_bytes=self.max_message_bytes,
            circuit_gates=self.max_circuit_gates,
            circuit_qubits=self.max_circuit_qubits,
            session_requests=self.max_session_requests,
            requests_per_second=self.max_requests_per_second,
        )

    @property
    def uvicorn(self) -> dict[str, Any]:
        """How uvicorn serves."""
        # What is a little too large is answered, and only what is much too large closes the socket.
        return {**UVICORN, "ws_max_size": min(8 * self.max_message_bytes, _MAX_FRAME)}


def read_settings(given: Mapping[str, str] | None = None) -> Settings:
    """Return the settings of this process, or end it with one line on standard error.

    Args:
        given: variables that win over the process environment, which wins over `.env` in the current folder.
    """
    try:
        return Settings.from_environ({**_dotenv(Path(".env")), **os.environ, **(given or {})})
    except SettingsError as error:
        raise SystemExit(f"error: {error}") from None


def _dotenv(path: Path) -> dict[str, str]:
    try:
        return {name: value for name, value in dotenv_values(path).items() if value is not None}
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} must be a readable UTF-8 text file: {error}") from None


def _choice(environ: Mapping[str, str], name: str, default: str, allowed: tuple[str, ...]) -> str:
    value = environ.get(name) or default
    if value.lower() not in allowed:
        raise _wrong(name, value, f"one of {', '.join(allowed)}")
    return value.lower()


def _number(environ: Mapping[str, str], name: str, default: int, most: int, least: int = 1) -> int:
    value = environ.get(name) or str(default)
    if not (value.isascii() and value.isdigit() and len(value) <= 9 and least <= int(value) <= most):
        raise _wrong(name, value, f"an integer in {least}..{most}")
    return int(value)


def _switch(environ: Mapping[str, str], name: str, default: bool) -> bool:
    value = environ.get(name) or str(default)
    if value.lower() not in _TRUE + _FALSE:
        raise _wrong(name, value, "true or false")
    return value.lower() in _TRUE


def _address(environ: Mapping[str, str], name: str, default: str) -> str:
    value = environ.get(name) or default
    if not value.isprintable() or " " in value:
        raise _wrong(name, value, "a host name or address without spaces, e.g. 127.0.0.1")
    return value


def _folder(environ: Mapping[str, str], name: str) -> str | None:
    value = environ.get(name) or None
    if value is not None and not (Path(value).is_dir() and os.access(value, os.W_OK | os.X_OK)):
        raise _wrong(name, value, "a folder that exists and can be written to")
    return value


def _wrong(name: str, value: str, allowed: str) -> SettingsError:
    return SettingsError(f"{name} must be {allowed}, got {value[:60]!r}")
