"""Logs: one JSON object a line, which no client can forge, and what is said of sessions."""

import asyncio
import json
import logging
import logging.config
import os
import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from quantum_circuit_env.server.limits import Limits
from quantum_circuit_env.server.logs import (
    LOGGER,
    MAX_TEXT,
    Json,
    Repeated,
    Text,
    log_beside_uvicorn,
    log_config,
)
from quantum_circuit_env.server.service import Service
from quantum_circuit_env.server.settings import Settings
from support.channels import RESET, Client, served, step

DOCS = (Path(__file__).parents[2] / "docs" / "operations.md").read_text("utf-8")
EVIL = 'GET /\x1b[31m"\n{"level": "info"}\u2028\ud800 ' + "x" * 5_000


def record(message: str, *args: object, level: int = logging.INFO, **extra: Any) -> logging.LogRecord:
    made = logging.LogRecord(LOGGER, level, __file__, 1, message, args, None)
    made.__dict__.update(extra)
    return made


def test_a_line_is_an_object_with_time_level_logger_and_message() -> None:
    made = record("session %s", "closed", level=logging.WARNING, reason="idle", steps=3, color_message="red")
    made.created = 1_700_000_000.25
    assert json.loads(Json().format(made)) == {
        "time": "2023-11-14T22:13:20.250Z",
        "level": "warning",
        "logger": LOGGER,
        "pid": os.getpid(),
        "message": "session closed",
        "reason": "idle",
        "steps": 3,
    }


@pytest.mark.parametrize("formatter", [Json(), Text()])
def test_what_clients_send_stays_on_its_line_and_is_cut(formatter: logging.Formatter) -> None:
    line = formatter.format(record("%s", EVIL, client=EVIL))
    assert line.isascii() or isinstance(formatter, Text)
    assert all(character.isprintable() for character in line.replace("…", ""))
    assert len(line) < 3 * MAX_TEXT
    if isinstance(formatter, Json):
        assert json.loads(line)["client"] == EVIL[:MAX_TEXT] + "…"


def test_text_is_for_people() -> None:
    made = record("session closed", reason="idle", told="two words")
    made.created = 0.0
    assert (
        Text().format(made) == "1970-01-01T00:00:00.000Z info     session closed reason=idle told='two words'"
    )


def test_what_our_lines_tell_is_not_told_twice() -> None:
    assert not Repeated().filter(record("connection open"))
    assert Repeated().filter(record("Shutting down"))


@pytest.fixture
def loggers() -> Iterator[None]:
    """Leave the loggers as they were."""
    names = (LOGGER, "uvicorn", "uvicorn.error", "uvicorn.access")
    kept = [
        (one, one.level, one.propagate, one.handlers[:], one.filters[:])
        for one in map(logging.getLogger, names)
    ]
    yield
    for one, level, propagate, handlers, filters in kept:
        one.level, one.propagate, one.handlers, one.filters = level, propagate, handlers, filters


@pytest.mark.usefixtures("loggers")
def test_ours_and_uvicorns_go_to_standard_error_from_the_level_on(capsys: pytest.CaptureFixture[str]) -> None:
    logging.config.dictConfig(log_config("warning", "json"))
    for name in (LOGGER, "uvicorn", "uvicorn.error", "uvicorn.access"):
        logging.getLogger(name).info("quiet")
        logging.getLogger(name).warning("loud")
    out, error = capsys.readouterr()
    assert out == ""
    assert [json.loads(line)["message"] for line in error.splitlines()] == ["loud"] * 4


@pytest.mark.usefixtures("loggers")
@pytest.mark.parametrize(("given", "level"), [(None, logging.ERROR), ("trace", 5), ("info", logging.INFO)])
def test_beside_a_uvicorn_of_somebody_elses(given: str | None, level: int) -> None:
    log_beside_uvicorn(given, "json")
    assert not isinstance(logging.getLogger(LOGGER).handlers[:1], Json)
    logging.getLogger("uvicorn").addHandler(logging.NullHandler())
    logging.getLogger("uvicorn.error").setLevel("ERROR")
    log_beside_uvicorn(given, "json")
    assert {logging.getLogger(name).getEffectiveLevel() for name in (LOGGER, "uvicorn.error")} == {level}


def logged(caplog: pytest.LogCaptureFixture, service: Service, client: Client) -> list[logging.LogRecord]:
    """What is logged while a socket is served."""
    with caplog.at_level(logging.DEBUG, LOGGER):
        asyncio.run(served(service, client))
    return [one for one in caplog.records if one.name == LOGGER]


def test_a_session_is_told_with_its_reason_and_numbers(caplog: pytest.LogCaptureFixture) -> None:
    client = Client([RESET, step(7, 1), step(0, 1), "[]"])
    client.leave({"code": 1005})
    opened, closed = logged(caplog, Service(), client)
    assert (opened.message, opened.levelname) == ("session opened", "DEBUG")
    assert (closed.message, closed.levelname) == ("session closed", "INFO")
    known = closed.__dict__
    assert known["session"] == opened.__dict__["session"]
    assert (known["client"], known["path"], known["reason"]) == ("192.0.2.1:5", "/ws", "lost")
    assert (known["frames"], known["resets"], known["steps"]) == (4, 1, 2)
    assert 0 <= known["duration_s"] < 60


@pytest.mark.parametrize(
    ("service", "reason"),
    [(Service(idle_timeout_s=0.01), "idle"), (Service(Limits(session_requests=1)), "limit")],
)
def test_ends_that_the_server_decides_on_are_told(
    caplog: pytest.LogCaptureFixture, service: Service, reason: str
) -> None:
    closed = logged(caplog, service, Client([RESET, step(7, 1)]))[-1]
    assert closed.__dict__["reason"] == reason


def test_of_refusals_in_a_row_the_first_is_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    service = Service()
    with caplog.at_level(logging.DEBUG, LOGGER):
        service.refused("capacity", "192.0.2.1:5")
        service.refused("capacity", "192.0.2.1:6")
        service.opened()
        service.refused("capacity", "192.0.2.1:7")
    assert [one.levelname for one in caplog.records] == ["WARNING", "DEBUG", "WARNING"]


def test_the_docs_list_messages_fields_and_settings() -> None:
    for message in ("server started", "session opened", "session closed", "session refused", "shutting down"):
        assert f"| `{message}` |" in DOCS
    for name in ("session", "client", "path", "reason", "duration_s", "frames", "resets", "steps", "sockets"):
        assert f"`{name}`" in DOCS
    settings = {field.name.upper() for field in fields(Settings)}
    named = set(re.findall("`([A-Z_]{5,})`", DOCS))
    limits = {name for name in settings if re.match("MAX_|IDLE|SHUTDOWN|LOG_|METRICS", name)}
    assert limits <= named
