"""OpenEnv's way to run a Docker image, with more patience at the start and a firmer hand at the end."""

import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from openenv.core.containers.runtime import LocalDockerProvider

_POLL_SECONDS: Final = 0.5
_STOP_SECONDS: Final = 5
_COMMAND_SECONDS: Final = 60.0


class DockerProvider(LocalDockerProvider):
    """Runs one container, and leaves none behind.

    Args:
        answers: says whether a server at an http address is healthy.
        patience: seconds until a container's server must be; OpenEnv's 30 are few on a busy machine.
    """

    def __init__(self, answers: Callable[[str], bool], patience: float) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._answers = answers
        self._patience = patience

    def wait_for_ready(self, base_url: str, timeout_s: float | None = None) -> None:
        """Return when the server answers; RuntimeError if its container has ended, else TimeoutError."""
        patience = self._patience if timeout_s is None else timeout_s
        deadline = time.monotonic() + patience
        while not self._answers(base_url):
            if _docker("inspect", "--format", "{{.State.Running}}", str(self._container_id)) == "false":
                raise RuntimeError("its container has ended")
            if time.monotonic() >= deadline:
                raise TimeoutError(f"its server does not answer within {patience:.0f} s")
            time.sleep(_POLL_SECONDS)

    def stop_container(self) -> None:
        """Stop and remove the container, one that does not listen too."""
        container, self._container_id = self._container_id, None
        if container is not None:
            _docker("stop", "--time", str(_STOP_SECONDS), container)
            _docker("rm", "--force", "--volumes", container)


def _docker(*arguments: str) -> str:
    """Run a docker command and return what it says, nothing if it fails."""
    with suppress(OSError, subprocess.SubprocessError):
        done = subprocess.run(  # noqa: S603
            ["docker", *arguments],  # noqa: S607
            capture_output=True,
            text=True,
            timeout=_COMMAND_SECONDS,
        )
        return done.stdout.strip()
    return ""
