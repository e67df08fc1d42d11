"""Play against a container that runs, and see how the image behaves when it is run in other ways.

Run as `container.py SOURCE` from the clone's root, SOURCE being what the image was built from; the package is
installed, tests/ is on PYTHONPATH, `docker` on the path, and BASE_URL, CONTAINER and IMAGE say what runs. The
container is stopped at the end.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from websockets.exceptions import ConnectionClosed

from claims import claim
from episodes import check_frames, check_seen, over_a_bare_socket, seen_blocking
from support.sockets import session
from support.transcripts import read

STOP_WITHIN = 3.0
"""Seconds in which `docker stop` must be done."""

START_WITHIN = 120.0
"""Seconds until a container must be healthy; generous, since this is about how and not how fast."""


def main(source: str, url: str, container: str, image: str) -> None:
    """Try all of it."""
    resets_over_http(url)
    plays_over_websocket(url)
    with claim("inference.py plays against the container"):
        plays_with_inference({"ENV_BASE_URL": url})
    with claim("inference.py runs the image itself and leaves no container behind"):
        before = docker("ps", "--all", "--quiet")
        plays_with_inference({"IMAGE_NAME": image})
        assert docker("ps", "--all", "--quiet") == before
    builds_as_a_space(source, image)
    starts_on_another_port(image)
    with running(image) as starting:
        number = int(docker("inspect", "--format", "{{.State.Pid}}", starting))
        until(lambda: listens_to_sigterm(number))
        assert not healthy(starting)
        stops(starting, "in the middle of its start")
    with session(url) as first, session(url) as second:
        first.reset(task="easy", seed=42)
        stops(container, "with two sessions open")
        with claim("its sessions are told that they end"):
            assert ended(first.hear)
            assert ended(second.hear)


def resets_over_http(url: str) -> None:
    """POST /reset as a Space's checkers do."""
    with claim("POST /reset with {} answers 200 and a circuit"):
        request = urllib.request.Request(  # noqa: S310
            f"{url}/reset", data=b"{}", headers={"Content-Type": "application/json"}
        )
        with opener().open(request, timeout=30) as response:
            assert response.status == 200
            assert json.load(response)["observation"]["circuit"]


def plays_over_websocket(url: str) -> None:
    """Play an episode to its end, over a bare socket and with the client."""
    with claim("a whole episode over /ws is the game's own"):
        frames, state = over_a_bare_socket(url)
        check_frames(frames)
    with claim("the client plays the same episode and sees the same"):
        check_seen(seen_blocking(url), frames, state)


def builds_as_a_space(source: str, image: str) -> None:
    """Build from what `openenv push` sends to a Space: no name that begins with a dot."""
    with claim("without .dockerignore the same image is built"), TemporaryDirectory() as folder:
        shutil.copytree(source, folder, ignore=shutil.ignore_patterns(".*"), dirs_exist_ok=True)
        assert layers(docker("build", "--quiet", folder)) == layers(image)


def plays_with_inference(variables: dict[str, str]) -> None:
    """Play one short episode with inference.py."""
    environ = {name: value for name, value in os.environ.items() if not name.endswith(("_KEY", "_TOKEN"))}
    done = subprocess.run(
        [
            sys.executable,
            "inference.py",
            "--offline",
            "--tasks",
            "easy",
            "--seeds",
            "42",
            "--server-wait",
            "60",
        ],
        env=environ | variables,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (episode,) = read(done.stdout)
    assert episode.success, done.stdout + done.stderr


def starts_on_another_port(image: str) -> None:
    """Run the image as it is, as the user whom it names, with another PORT."""
    user = docker("image", "inspect", "--format", "{{.Config.User}}", image)
    with claim(f"the image names a user by number who is not root: {user}"):
        assert int(user.partition(":")[0]) > 0
    with running(image, "--env", "PORT=7860", "--publish", "127.0.0.1::7860") as other:
        with claim("with PORT=7860 it serves there, and its own HEALTHCHECK says so"):
            until(lambda: healthy(other))
            with opener().open(f"http://{docker('port', other, '7860/tcp')}/health", timeout=30) as response:
                assert response.status == 200
        stops(other, "as the image's own user")


@contextmanager
def running(image: str, *options: str) -> Iterator[str]:
    """Run a container and remove it."""
    container = docker("run", "--detach", *options, image)
    try:
        yield container
    finally:
        docker("rm", "--force", "--volumes", container)


def stops(container: str, how: str) -> None:
    """Stop a container, which must end by itself and soon."""
    began = time.monotonic()
    docker("stop", container)
    took = time.monotonic() - began
    status = docker("inspect", "--format", "{{.State.ExitCode}}", container)
    with claim(f"docker stop {how}: status {status} after {took:.1f} s"):
        assert status == "0", docker("logs", container)
        assert took <= STOP_WITHIN, f"more than {STOP_WITHIN} s"


def healthy(container: str) -> bool:
    """Say whether the image's own check has passed."""
    running_, health = docker(
        "inspect", "--format", "{{.State.Running}} {{.State.Health.Status}}", container
    ).split()
    assert running_ == "true", docker("logs", container)
    return health == "healthy"


def listens_to_sigterm(number: int) -> bool:
    """Say whether a process has a handler for SIGTERM, without which the first of a container ignores it."""
    (caught,) = re.findall(r"^SigCgt:\s*(\w+)$", Path(f"/proc/{number}/status").read_text(), flags=re.M)
    return bool(int(caught, 16) >> (signal.SIGTERM - 1) & 1)


def ended(hear: Callable[[], object]) -> bool:
    """Say whether a session has been closed by the server."""
    try:
        hear()
    except ConnectionClosed:
        return True
    return False


def until(true: Callable[[], bool]) -> None:
    """Wait for something that must come true."""
    deadline = time.monotonic() + START_WITHIN
    while not true():
        assert time.monotonic() < deadline, f"not within {START_WITHIN} s"
        time.sleep(0.2)


def layers(image: str) -> str:
    """Return the digests of what an image is made of."""
    return docker("image", "inspect", "--format", "{{.RootFS.Layers}}", image)


def docker(*arguments: str) -> str:
    """Run a docker command and return what it prints."""
    return subprocess.run(
        ["docker", *arguments],  # noqa: S607
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        timeout=120,
    ).stdout.strip()


def opener() -> urllib.request.OpenerDirector:
    """Return what opens URLs past any proxy."""
    return urllib.request.build_opener(urllib.request.ProxyHandler({}))


if __name__ == "__main__":
    main(sys.argv[1], os.environ["BASE_URL"], os.environ["CONTAINER"], os.environ["IMAGE"])
