"""The executor `ray`: shards of units, played by the workers of a local Ray node.

It pays where an agent needs more memory or other isolation than a process of our own gives; what comes out is
the same. The node listens on the loopback interface only, reports to nobody, and ends with the run. Where the
driver is killed outright, two agents of the node outlive it by a minute in which they look for the rest.
"""

import os
import signal
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import current_thread, main_thread
from typing import Any, Final

from quantum_circuit_env.agents.interrupts import Interrupts
from quantum_circuit_env.evals.executors import ExecutorError, Job, without_sigint
from quantum_circuit_env.evals.records import Episode
from quantum_circuit_env.evals.shards import Shard, drop_if_empty, merged, play_shard, sharded
from quantum_circuit_env.evals.stats.extras import require
from quantum_circuit_env.evals.units import Unit

_ENVIRONMENT: Final = {
    "RAY_USAGE_STATS_ENABLED": "0",
    # Otherwise a driver under `uv run` has its folder packed and each worker's environment made anew.
    "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",
    # The one setting that lets a node have the loopback address; its name tells where it is the default.
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
    # It would announce a change to come with each start.
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    # Seconds that the node may take to register: a busy machine needs more than the 30 of the default.
    "RAY_raylet_start_wait_time_s": "120",
}
"""What Ray reads when it is imported, and hands on to the node."""

_LATE: Final = "timed out during startup"

_ATTEMPTS: Final = 3
"""How often the node is started."""

_RETRIES: Final = 3
"""How often a shard is played again whose worker has died."""

_IN_FLIGHT: Final = 2
"""Shards for each CPU that the node is given at a time."""

_OBJECT_STORE: Final = 100_000_000
"""Bytes; nothing but counts passes through it."""

_POLL_SECONDS: Final = 0.2
_GRACE_SECONDS: Final = 5.0


def imported_ray() -> Any:
    """Return the library, set up to stay on this machine, or raise a MissingExtraError."""
    os.environ.update(_ENVIRONMENT)
    return require("ray", extra="ray")


def ray_shards(
    units: Sequence[Unit], job: Job, *, workers: int, interrupts: Interrupts, folder: Path
) -> Generator[Episode, None, None]:
    """Yield the episodes of agents that ask no service, played in process by the workers of a Ray node.

    Args:
        units: what to play; neighbours share a shard.
        job: what holds for all of them.
        workers: CPUs of the node.
        interrupts: kept from cutting start and end of the node short.
        folder: where the workers put their shards.

    Raises:
        ExecutorError: if the node does not start, a shard fails for good, or one has not its episodes.
        MissingExtraError: if Ray is not installed.
    """
    ray = imported_ray()
    waiting = iter(sharded(units, workers))
    with _local_node(ray, workers, interrupts):
        play = ray.remote(max_retries=_RETRIES)(play_shard)
        running: dict[Any, Shard] = {}
        while True:
            for shard in islice(waiting, _IN_FLIGHT * workers - len(running)):
                running[play.remote(shard, job, folder.absolute())] = shard
            if not running:
                drop_if_empty(folder)
                return
            done, _ = ray.wait(list(running), timeout=_POLL_SECONDS)
            for reference in done:
                shard = running.pop(reference)
                try:
                    ray.get(reference)
                except ray.exceptions.RayError as error:
                    raise ExecutorError(f"the shard {shard.id} cannot be played: {_line(error)}") from error
                yield from merged(shard, folder)


@contextmanager
def _local_node(ray: Any, cpus: int, interrupts: Interrupts) -> Iterator[None]:
    """Start a node of our own, and end it."""
    with TemporaryDirectory(prefix="ray-", ignore_cleanup_errors=True) as temporary:
        try:
            _start(ray, cpus, temporary, interrupts)
            yield
        finally:
            with interrupts.held():
                ray.shutdown()
                _end_processes(temporary)


def _start(ray: Any, cpus: int, temporary: str, interrupts: Interrupts) -> None:
    """Start the node, with patience: on a busy machine it fails at times."""
    for left in reversed(range(_ATTEMPTS)):
        with interrupts.held(), without_sigint(), _handlers_kept():
            error = _started(ray, cpus, temporary)
            if error is None:
                return
            _end_processes(temporary)
        if not left:
            raise ExecutorError(f"Ray does not start: {error}; --executor process does without it")


def _started(ray: Any, cpus: int, temporary: str) -> str | None:
    """Try to start the node and return why it did not start."""
    try:
        ray.init(
            address="local",
            num_cpus=cpus,
            num_gpus=0,
            object_store_memory=_OBJECT_STORE,
            include_dashboard=False,
            log_to_driver=False,
            logging_level="error",
            _temp_dir=temporary,
        )
    except (RuntimeError, OSError, ValueError) as error:
        return _line(error).removesuffix(".")
    except Exception as error:
        # Ray has no class of its own for a node that is late, only these words.
        if type(error) is not Exception or _LATE not in str(error):
            raise
        return _line(error).removesuffix(".")
    return None


def _end_processes(temporary: str) -> None:
    """End what a node that did not start has left; it would slow the next attempt down.

    Its processes, some of them nobody's children by now, have the node's own folder in their command line.
    """
    deadline = time.monotonic() + _GRACE_SECONDS
    while (left := list(_processes(temporary))) and time.monotonic() < deadline:
        for process in left:
            with suppress(OSError):
                os.kill(process, signal.SIGKILL)
        time.sleep(_POLL_SECONDS)


def _processes(temporary: str) -> Iterator[int]:
    """Yield the processes whose command line has a folder in it; none where the system has no /proc."""
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if os.fsencode(temporary) in entry.read_bytes():
                yield int(entry.parent.name)


@contextmanager
def _handlers_kept() -> Iterator[None]:
    """Give SIGTERM back to whoever handled it: Ray takes it, where it can be taken."""
    if current_thread() is not main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _line(error: BaseException) -> str:
    """The last line of an error, which is what a worker's own error says."""
    return (str(error).strip().splitlines() or [type(error).__name__])[-1]
