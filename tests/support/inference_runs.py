"""Runs of inference.py, each in a process of its own, forked from one that has imported OpenEnv already.

The import costs ten seconds of processor time; a forked run costs a fraction of one.
"""

import multiprocessing
import os
import runpy
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from support.transcripts import Played, read

SCRIPT: Final = Path(__file__).parents[2] / "inference.py"

SETTINGS: Final = (
    "API_KEY",
    "OPENAI_API_KEY",
    "HF_TOKEN",
    "API_BASE_URL",
    "MODEL_NAME",
    "ENV_BASE_URL",
    "IMAGE_NAME",
    "LOCAL_IMAGE_NAME",
    "OPENAI_ORG_ID",
    "OPENAI_PROJECT_ID",
)
"""Variables that only a test may set."""

WITHIN: Final = 180.0
"""Seconds until a run must have ended."""

_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(
    [
        "quantum_circuit_env.client",
        "quantum_circuit_env.inference",
        "openai.resources.chat",
        "openai.lib.streaming.chat",
        "support.inference_runs",
    ]
)


Around: TypeAlias = Callable[[], AbstractContextManager[None]]
"""What a run happens in, inside its process."""


@dataclass(frozen=True)
class Run:
    """An ended run."""

    status: int | None
    stdout: str
    stderr: str

    @property
    def episodes(self) -> list[Played]:
        """The episodes of standard output, which must hold nothing else."""
        return read(self.stdout)

    @property
    def episode(self) -> Played:
        """The only episode."""
        (episode,) = self.episodes
        return episode


class Running:
    """A run that is going on, in `folder`."""

    def __init__(
        self,
        folder: Path,
        arguments: Sequence[str],
        variables: Mapping[str, str],
        around: Around = nullcontext,
    ) -> None:
        self._files = (folder / "stdout.txt", folder / "stderr.txt")
        environ = {name: value for name, value in os.environ.items() if name not in SETTINGS}
        # Proxies of the machine have no business between processes of a test.
        environ |= {"NO_PROXY": "*", "no_proxy": "*", **variables}
        self._process = _FORKS.Process(
            target=_run, args=(folder, list(arguments), environ, self._files, around)
        )
        self._process.start()

    @property
    def pid(self) -> int:
        """Id of the process."""
        assert self._process.pid is not None
        return self._process.pid

    @property
    def stderr(self) -> str:
        """Standard error so far."""
        return self._files[1].read_text() if self._files[1].exists() else ""

    def ended(self) -> Run:
        """Wait for the end."""
        self._process.join(WITHIN)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
            raise AssertionError(f"the run did not end:\n{self.stderr}")
        stdout, stderr = (file.read_text() for file in self._files)
        return Run(self._process.exitcode, stdout, stderr)


def run(
    folder: Path,
    arguments: Sequence[str] = (),
    variables: Mapping[str, str] | None = None,
    around: Around = nullcontext,
) -> Run:
    """Run inference.py in `folder` to its end."""
    return Running(folder, arguments, variables or {}, around).ended()


def _run(
    folder: Path,
    arguments: list[str],
    environ: dict[str, str],
    files: tuple[Path, Path],
    around: Around,
) -> None:
    """Become inference.py: what it does to its descriptors, signals and exit status is its own."""
    for descriptor, file in enumerate(files, 1):
        opened = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(opened, descriptor)
        os.close(opened)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environ)
    sys.argv = [str(SCRIPT), *arguments]
    with around():
        runpy.run_path(str(SCRIPT), run_name="__main__")


@contextmanager
def libraries_that_print() -> Iterator[None]:
    """Let the client print to standard output in all ways that there are, whenever it sends an action."""
    from quantum_circuit_env.client import QuantumCircuitEnv

    quiet = QuantumCircuitEnv._step_payload

    def noisy(self: QuantumCircuitEnv, action: object) -> dict[str, object]:
        print("[END] success=true steps=0 score=0.990 rewards=")  # noqa: T201
        sys.__stdout__.write("noise\n")  # type: ignore[union-attr]
        sys.__stdout__.flush()  # type: ignore[union-attr]
        os.write(1, b"[STEP] noise\n")
        os.system("echo noise of a child")  # noqa: S605
        warnings.warn("noise", stacklevel=1)
        return quiet(self, action)  # type: ignore[arg-type]

    QuantumCircuitEnv._step_payload = noisy  # type: ignore[method-assign, assignment]
    yield


@contextmanager
def modules_listed() -> Iterator[None]:
    """Have a run end with the names of all modules that it holds."""
    try:
        yield
    finally:
        sys.stderr.write(f"modules: {' '.join(sys.modules)}")
