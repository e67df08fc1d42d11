"""What the server logs and how: one JSON object a line on standard error, or text for people."""

import logging
import logging.config
from datetime import UTC, datetime
from typing import Any, Final

from pythonjsonlogger.core import RESERVED_ATTRS
from pythonjsonlogger.json import JsonFormatter

LOGGER: Final = "quantum_circuit_env.server"
MAX_TEXT: Final = 1_000
"""Most characters of a text in a line; clients choose some of them."""

_FORMATTERS: Final[dict[str, str]] = {name: f"{__name__}.{name}" for name in ("Json", "Text")}


class Json(JsonFormatter):
    """Writes a record as a JSON object: time, level, logger, message, and the fields that it was given."""

    def __init__(self) -> None:
        # Everything but ASCII is escaped, line ends too, so that no client can forge a line. The coloured
        # message is uvicorn's, for terminals.
        super().__init__("%(message)s", reserved_attrs=[*RESERVED_ATTRS, "color_message"])

    def add_fields(
        self, log_data: dict[str, Any], record: logging.LogRecord, message_dict: dict[str, Any]
    ) -> None:
        """Put the record's own fields before those that it was given."""
        log_data["time"] = _time(record)
        log_data["level"] = record.levelname.lower()
        log_data["logger"] = record.name
        log_data["pid"] = record.process
        super().add_fields(log_data, record, message_dict)
        for name, value in log_data.items():
            if isinstance(value, str) and len(value) > MAX_TEXT and name != "exc_info":
                log_data[name] = f"{value[:MAX_TEXT]}…"


class Repeated(logging.Filter):
    """Drops what uvicorn and websockets say when a socket opens: our line at its end tells as much."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Say whether the record is to be logged."""
        return record.msg not in _REPEATED


_REPEATED: Final = ('%s - "WebSocket %s" [accepted]', "connection open")


class Text(logging.Formatter):
    """Writes a record as a line of text: time, level, message, and the fields that it was given."""

    def __init__(self) -> None:
        super().__init__("%(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802
        """Return the line."""
        fields = {
            name: value
            for name, value in record.__dict__.items()
            if name not in _RESERVED and not name.startswith("_")
        }
        told = "".join(f" {name}={_quoted(value)}" for name, value in fields.items())
        return f"{_time(record)} {record.levelname.lower():8} {_plain(record.message)}{told}"


_RESERVED: Final = {*RESERVED_ATTRS, "color_message", "message", "asctime"}


def _time(record: logging.LogRecord) -> str:
    return (
        datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    )


def _quoted(value: object) -> str:
    text = _plain(str(value))
    return repr(text) if " " in text or not text else text


def _plain(text: str) -> str:
    """Return a text without what could end or recolour a line."""
    shown = "".join(each if each.isprintable() else repr(each)[1:-1] for each in text[:MAX_TEXT])
    return shown if len(text) <= MAX_TEXT else f"{shown}…"


def log_config(level: str, form: str) -> dict[str, Any]:
    """Return the configuration of our logger and uvicorn's, as `logging.config` takes it.

    Args:
        level: lowest level that is logged, as LOG_LEVEL names it.
        form: json or text.
    """
    logger = {"handlers": ["stderr"], "level": _level(level), "propagate": False}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"form": {"()": _FORMATTERS[form.capitalize()]}},
        "handlers": {
            "stderr": {"class": "logging.StreamHandler", "formatter": "form", "stream": "ext://sys.stderr"}
        },
        "filters": {"repeated": {"()": f"{__name__}.{Repeated.__name__}"}},
        "loggers": {
            LOGGER: logger,
            "uvicorn": logger,
            "uvicorn.error": {"level": _level(level), "filters": ["repeated"]},
            "uvicorn.access": {"level": _level(level), "handlers": [], "propagate": True},
        },
    }


def log_beside_uvicorn(level: str | None, form: str) -> None:
    """Log in our form, and let the uvicorn do so that somebody else has started.

    Does nothing where no uvicorn logs, as in a program that imports the server.

    Args:
        level: lowest level that is logged; None for that of uvicorn.
        form: json or text.
    """
    if logging.getLogger("uvicorn").handlers:
        theirs = logging.getLevelName(logging.getLogger("uvicorn.error").getEffectiveLevel())
        logging.config.dictConfig(log_config(level or theirs, form))


def _level(name: str) -> str | int:
    # uvicorn's own level below debug, which logging knows by its number only.
    return 5 if name.lower() == "trace" else name.upper()
