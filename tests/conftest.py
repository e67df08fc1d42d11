"""What all tests share: one server for each process that needs one."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

import support.profiles  # noqa: F401
from support.servers import serving


@pytest.fixture(scope="session")
def server_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Base URL of a server with its default settings; sessions on it do not see each other."""
    with serving(tmp_path_factory.mktemp("server")) as url:
        yield url


@pytest.fixture(scope="session")
def schema(server_url: str) -> dict[str, Any]:
    """What the server publishes of its types."""
    found: dict[str, Any] = httpx.get(f"{server_url}/schema", trust_env=False).raise_for_status().json()
    return found
