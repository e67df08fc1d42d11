"""The server's settings, read once, at the edge, into a frozen value."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from dotenv import dotenv_values

from qrewrite.tasks import RANDOM, TIERS

_TASKS: Final = (*TIERS, RANDOM)
_LEVELS: Final = ("critical", "error", "warning", "info", "debug", "trace")
_TRUE: Final = ("true", "1", "yes", "on")
_FALSE: Final = ("false", "0", "no", "off")

UVICORN: Final[Mapping[str, Any]] = {
    # uvloop and httptools are what "auto" finds first.
    "loop": "auto",
    "http": "auto",
    # A worker answers its supervisor only when it has imported OpenEnv, and is killed if it takes longer.
    "timeout_worker_healthcheck": 120,
    # Sessions are told that they end; one that does not listen is not waited for.
    "timeout_graceful_shutdown": 1,
    # Compressing small frames costs more than sending them.
    "ws_per_message_deflate": False,
}
"""How uvicorn serves, whatever the environment says."""


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
    """

    task: str = RANDOM
    sessions: int = 256
    port: int = 8000
    host: str = "0.0.0.0"  # noqa: S104
    workers: int = 1
    web: bool = True
    log_level: str = "info"

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
        )


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


def _number(environ: Mapping[str, str], name: str, default: int, most: int) -> int:
    value = environ.get(name) or str(default)
    if not (value.isascii() and value.isdigit() and len(value) <= 9 and 1 <= int(value) <= most):
        raise _wrong(name, value, f"an integer in 1..{most}")
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


def _wrong(name: str, value: str, allowed: str) -> SettingsError:
    return SettingsError(f"{name} must be {allowed}, got {value[:60]!r}")
