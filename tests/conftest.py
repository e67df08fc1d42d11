"""What all tests share: one server for the whole run."""

from collections.abc import Iterator

import pytest

from support.servers import serving


@pytest.fixture(scope="session")
def server_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Base URL of a server with its default settings; sessions on it do not see each other."""
    with serving(tmp_path_factory.mktemp("server")) as url:
        yield url
