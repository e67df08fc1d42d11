"""Whose model plays, where it is served, and with which key: chosen from the environment, never guessed."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from dotenv import dotenv_values


class EndpointError(ValueError):
    """Raised when the settings name no endpoint that the key could be meant for; says what to set."""


class _Home(NamedTuple):
    """Where a key belongs, and a model that is served there."""

    base_url: str | None
    model: str


KEYS: Final = {
    "API_KEY": _Home(None, "meta-llama/Llama-3.1-8B-Instruct"),
    "OPENAI_API_KEY": _Home("https://api.openai.com/v1", "gpt-4o-mini"),
    "HF_TOKEN": _Home("https://router.huggingface.co/v1", "meta-llama/Llama-3.1-8B-Instruct"),
}
"""Variables that may hold the key, the first that is set counts, and what their default is."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A model behind an OpenAI-compatible service.

    Attributes:
        base_url: the service, up to and including `/v1`.
        model: name of the model there.
        key: the key; never printed.
        key_name: the variable that it came from.
    """

    base_url: str
    model: str
    key: str = field(repr=False)
    key_name: str

    @property
    def host(self) -> str:
        """The service's host, without what else an address may hold."""
        return urlsplit(self.base_url).hostname or ""


def read_environment(environ: Mapping[str, str], folder: Path) -> dict[str, str]:
    """Return the process environment over `folder`'s `.env`; no other folder's `.env` is ever looked at.

    Blanks around a value are dropped. What the process sets to nothing is unset, whatever `.env` says.

    Raises:
        EndpointError: if there is a `.env` that cannot be read.
    """
    path = folder / ".env"
    try:
        # Interpolation would read one variable into another, and cut keys that have a dollar sign in them.
        file = dotenv_values(path, interpolate=False) if path.is_file() else {}
    except (OSError, UnicodeDecodeError) as error:
        raise EndpointError(f"{path} must be a readable UTF-8 text file: {error}") from None
    merged = {**{name: value or "" for name, value in file.items()}, **environ}
    return {name: value.strip() for name, value in merged.items() if value.strip()}


def choose_endpoint(environ: Mapping[str, str], *, model: str | None = None) -> Endpoint | None:
    """Return the endpoint of the first key that is set, or None without a key.

    Args:
        environ: as `read_environment` returns it.
        model: the model to ask instead of MODEL_NAME.

    Raises:
        EndpointError: if it is not known where the key belongs, or the address is none.
    """
    key_name = next((name for name in KEYS if environ.get(name)), None)
    if key_name is None:
        return None
    home = KEYS[key_name]
    base_url = environ.get("API_BASE_URL") or home.base_url
    if base_url is None:
        raise EndpointError(
            f"{key_name} does not say whose key it is: set API_BASE_URL too, or use OPENAI_API_KEY "
            "or HF_TOKEN, which have a default"
        )
    if not is_address(base_url):
        raise EndpointError(f"API_BASE_URL must be an http or https address, got {_public(base_url)!r}")
    named = model or environ.get("MODEL_NAME") or home.model
    return Endpoint(base_url, named, environ[key_name], key_name)


def _public(url: str) -> str:
    """Return the beginning of an address without what may be a user's name and password."""
    return re.sub(r"(?<=//).*@", "", url, flags=re.DOTALL)[:100]


def is_address(url: str) -> bool:
    """Say whether this is an http or https address with a host and, if any, a valid port."""
    try:
        parts = urlsplit(url)
        return (
            parts.scheme in ("http", "https")
            and bool(parts.hostname)
            and (parts.port is None or parts.port > 0)
        )
    except ValueError:
        return False
