"""One server for the whole run, which tells what it holds; and how long the tests are to be.

Memory at full size: `pytest tests/faults/test_memory.py -n 0 -s --episodes 200000 --sockets 2000`.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from support.holdings import Served
from support.servers import running

SESSIONS: Final = 512
"""Capacity of the server."""
WITNESSED: Final = (sys.executable, str(Path(__file__).parents[1] / "support" / "witnessed.py"))


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("faults", "how long the tests of faults are to be")
    group.addoption("--soak-steps", type=int, default=40, help="frames of each of the 512 sessions")
    group.addoption("--episodes", type=int, default=3_000, help="resets on held sockets")
    group.addoption("--sockets", type=int, default=700, help="sockets opened and closed")
    group.addoption("--examples", type=int, default=150, help="examples of each fuzzer")


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with room for 512 sessions, whose log must show no traceback in the end."""
    folder = tmp_path_factory.mktemp("server")
    variables = {"MAX_CONCURRENT_ENVS": str(SESSIONS), "LOG_LEVEL": "warning"}
    with running(folder, WITNESSED, variables) as (url, process):
        yield Served(url, process.pid, folder / "server.log")
    logged = (folder / "server.log").read_text().splitlines()
    assert [line for line in logged if "Traceback" in line] == []


@pytest.fixture(scope="session")
def server_url(served: Served) -> str:
    return served.url
