"""Where and when a run is played: what explains a result and does not define it. Nothing here can fail."""

import os
import platform
import re
import shutil
import socket
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import ClassVar, Final
from urllib.parse import urlsplit

from pydantic import ConfigDict

from quantum_circuit_env.evals.revision import digest

IMAGE_DIGEST: Final = "IMAGE_DIGEST"
"""Variable in which whoever starts a container can tell the digest of its image."""

_PACKAGES: Final = (
    "openenv-quantum-circuit-env",
    "numpy",
    "openai",
    "openenv",
    "openenv-core",
    "pyarrow",
    "pydantic",
    "ray",
    "scipy",
    "statsmodels",
    "websockets",
)
_ROOT: Final = Path(__file__).parents[1]
_DIGEST: Final = re.compile(r"sha256:[0-9a-f]{64}")
_PATIENCE: Final = 20.0
"""Seconds after which git is not waited for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sitting:
    """One process that has played a run or a part of it.

    Attributes:
        started_at, finished_at: UTC, ISO 8601; null at the end for one that was killed.
        packages: installed ones on which results could depend, name → version.
        python, platform: of the process.
        git_sha: the commit of the checkout; null when installed.
        git_dirty: whether tracked files of it were changed; null when that is not known.
        image: digest of the container image if the environment tells it.
        host: digest of the host's name.
        server: host and port of the server; null in process.
        returned_models: agent → the models that its service said had answered.
        sent: agent → what was still sent to its service in the end; it may have refused some of it.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(strict=True, extra="forbid")

    started_at: str
    finished_at: str | None
    packages: dict[str, str]
    python: str
    platform: str
    git_sha: str | None
    git_dirty: bool | None
    image: str | None
    host: str
    server: str | None
    returned_models: dict[str, tuple[str, ...]]
    sent: dict[str, dict[str, int | float | str]]


def sitting(
    *, server: str | None = None, root: Path = _ROOT, environ: Mapping[str, str] = os.environ
) -> Sitting:
    """Return the circumstances of this process, now.

    Args:
        server: URL of the server; only its host and port are kept.
        root: where a checkout would be.
        environ: where IMAGE_DIGEST may be.
    """
    sha, dirty = _git(root)
    image = environ.get(IMAGE_DIGEST, "")
    return Sitting(
        started_at=now(),
        finished_at=None,
        packages=dict(_installed()),
        python=f"{platform.python_implementation()} {platform.python_version()}",
        platform=platform.platform(),
        git_sha=sha,
        git_dirty=dirty,
        image=image if _DIGEST.fullmatch(image) else None,
        host=digest(socket.gethostname()),
        server=None if server is None else address_of(server),
        returned_models={},
        sent={},
    )


def now() -> str:
    """Return the time, UTC, ISO 8601, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def address_of(url: str) -> str:
    """Return host and port of a URL, and nothing of what else it may hold; `unknown` if it has no host.

    >>> address_of("wss://user:secret@example.org:8443/ws?token=secret")
    'example.org:8443'
    """
    try:
        parts = urlsplit(url if "://" in url else f"//{url}")
        host, port = parts.hostname, parts.port
    except ValueError:
        return "unknown"
    if not host:
        return "unknown"
    host = f"[{host}]" if ":" in host else host
    return host if port is None else f"{host}:{port}"


def _installed() -> Iterator[tuple[str, str]]:
    for name in _PACKAGES:
        try:
            yield name, version(name)
        except PackageNotFoundError:
            continue


def _git(root: Path) -> tuple[str | None, bool | None]:
    """Return commit and whether tracked files are changed; nothing where `root` is no checkout itself."""
    if not (root / ".git").exists():
        return None, None
    sha = _asked(root, "rev-parse", "--verify", "HEAD")
    changed = _asked(root, "status", "--porcelain", "--untracked-files=no")
    return sha or None, None if changed is None else bool(changed)


def _asked(root: Path, *command: str) -> str | None:
    git = shutil.which("git")
    if git is None:
        return None
    # Variables such as GIT_DIR point to another repository, e.g. inside of a hook.
    environ = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        ended = subprocess.run(  # noqa: S603
            [git, "--no-optional-locks", "-C", str(root), *command],
            env=environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_PATIENCE,
            check=False,
        )
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return None
    return ended.stdout.strip() if ended.returncode == 0 else None
