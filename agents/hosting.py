"""Where the environment's server is: at an address, in a container, or started here for the run."""

import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPException
from typing import Any, Final, Protocol
from urllib.parse import urlsplit
from urllib.request import ProxyHandler, build_opener

from quantum_circuit_env.agents.clock import within
from quantum_circuit_env.agents.endpoint import KEYS
from quantum_circuit_env.agents.interrupts import Interrupts

START_SECONDS: Final = 120.0
"""How long a server that was started here may take until it answers."""

_POLL_SECONDS: Final = 0.1
_STOP_SECONDS: Final = 5.0
_ANSWER_SECONDS: Final = 5.0
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})


class HostError(Exception):
    """Raised when there is no server to play on; says what was tried."""


class Host(Protocol):
    """A place where the server is."""

    def client(self) -> Any:
        """Return a blocking client of the server; HostError if the server does not answer."""

    def stop(self) -> None:
        """Stop what was started here."""


class RemoteHost:
    """A server that somebody else runs.

    Args:
        url: its address, http or ws.
        patience: seconds to wait for its first answer.
    """

    def __init__(self, url: str, patience: float) -> None:
        # OpenEnv knows a server by either scheme; health is asked over HTTP.
        self._url = re.sub("^(?:ws(s?)://|http(s?)://|)", r"http\1\2://", url.rstrip("/"))
        self._patience = patience

    def client(self) -> Any:
        """Return a client once the server answers; after a failure later calls wait no more."""
        deadline = time.monotonic() + self._patience
        self._patience = 0.0
        while not answers(self._url):
            if time.monotonic() >= deadline:
                shown = re.sub("//[^/]*@", "//", self._url)  # without the user's name and password
                raise HostError(f"no environment server answers at {shown}")
            time.sleep(_POLL_SECONDS)
        return _client_of(self._url)

    def stop(self) -> None:
        """Do nothing: it is not ours."""


class ContainerHost:
    """A Docker image with the server in it, run until the end."""

    def __init__(self, image: str) -> None:
        self._image = image
        self._provider: Any = None
        self._failed: str | None = None

    def client(self) -> Any:
        """Start the container and return a client of it; a container that failed is not tried again."""
        if self._failed is not None:
            raise HostError(self._failed)
        if shutil.which("docker") is None:
            self._failed = f"cannot run the Docker image {self._image}: there is no docker command"
            raise HostError(self._failed)
        from quantum_circuit_env.agents.docker import DockerProvider
        from quantum_circuit_env.client import QuantumCircuitEnv

        try:
            self._provider = DockerProvider(answers, START_SECONDS)
            return QuantumCircuitEnv.from_docker_image(self._image, provider=self._provider).sync()
        except (RuntimeError, OSError, subprocess.SubprocessError) as error:
            self._failed = f"cannot run the Docker image {self._image}: {error}"
            raise HostError(self._failed) from error

    def stop(self) -> None:
        """Stop the container."""
        if self._provider is not None:
            self._provider.stop_container()


class LocalHost:
    """A server process of our own, on a free port of the loopback interface."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        # The server has no use for keys, and nobody would see its page.
        inherited = {name: value for name, value in environ.items() if name not in KEYS}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "quantum_circuit_env.agents.local_server"],
            env={**inherited, "ENABLE_WEB_INTERFACE": "false"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # A signal from the terminal must not take the server away before the last line is written.
            start_new_session=True,
        )
        self._url: str | None = None

    def client(self) -> Any:
        """Return a client once the server answers."""
        if self._url is None:
            self._url = f"http://127.0.0.1:{self._announced_port()}"
        client = _client_of(self._url)  # costs seconds, in which the server starts
        deadline = time.monotonic() + START_SECONDS
        while self._process.poll() is None and time.monotonic() < deadline:
            if answers(self._url):
                return client
            time.sleep(_POLL_SECONDS)
        raise HostError(f"the local server does not run (exit status {self._process.poll()})")

    def _announced_port(self) -> int:
        line = self._process.stdout.readline() if self._process.stdout else b""
        if not line:
            raise HostError("the local server did not start")
        return int(line)

    def stop(self) -> None:
        """End the process and wait for it."""
        with self._process:
            self._process.terminate()
            try:
                self._process.wait(_STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()


@contextmanager
def host(
    settings: Mapping[str, str], environ: Mapping[str, str], *, patience: float, interrupts: Interrupts
) -> Iterator[Host]:
    """Yield the host that the settings name and stop what was started.

    Args:
        settings: what may hold ENV_BASE_URL, IMAGE_NAME or LOCAL_IMAGE_NAME; without any a server is started.
        environ: environment of a server that is started.
        patience: seconds to wait for a server at ENV_BASE_URL.
        interrupts: kept from cutting start and stop short.
    """
    url = settings.get("ENV_BASE_URL")
    image = settings.get("IMAGE_NAME") or settings.get("LOCAL_IMAGE_NAME")
    chosen: Host | None = None
    try:
        with interrupts.held():
            if url:
                chosen = RemoteHost(url, patience)
            else:
                chosen = ContainerHost(image) if image else LocalHost(environ)
        yield chosen
    finally:
        if chosen is not None:
            with interrupts.held():
                chosen.stop()


def answers(url: str) -> bool:
    """Say whether a server at this http address reports to be healthy, and does so soon."""
    return within(_ANSWER_SECONDS, lambda: _is_healthy(url)) or False


def _is_healthy(url: str) -> bool:
    try:
        here = urlsplit(url).hostname in _LOOPBACK
        opener = build_opener(ProxyHandler({})) if here else build_opener()
        with opener.open(f"{url}/health", timeout=_ANSWER_SECONDS) as response:
            return bool(response.status == 200)
    except (OSError, ValueError, HTTPException):
        return False


def _client_of(url: str) -> Any:
    """Return a blocking client, not connected yet; importing it costs seconds."""
    try:
        from quantum_circuit_env.client import QuantumCircuitEnv
    # Importing OpenEnv opens an HTTP client with the machine's proxies, not all of which it can use.
    except (ImportError, ValueError) as error:
        raise HostError(f"the client cannot be imported: {error}") from error
    return QuantumCircuitEnv(base_url=url).sync()
