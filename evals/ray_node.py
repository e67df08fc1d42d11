"""A Ray node of our own: on the loopback interface only, reporting to nobody, ended with whoever starts it.

Where that process is killed outright, two agents of the node outlive it by a minute in which they look for
the rest.
"""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import current_thread, main_thread
from typing import Any, Final

from quantum_circuit_env.agents.interrupts import Interrupts
from quantum_circuit_env.evals.executors import ExecutorError, without_sigint
from quantum_circuit_env.evals.stats.extras import require

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

_OBJECT_STORE: Final = 100_000_000
"""Bytes; nothing large passes through it."""

_POLL_SECONDS: Final = 0.2
_GRACE_SECONDS: Final = 5.0


def imported_ray(extra: str = "ray") -> Any:
    """Return the library, set up to stay on this machine, or raise a MissingExtraError naming the extra."""
    os.environ.update(_ENVIRONMENT)
    return require("ray", extra=extra)


@contextmanager
def local_node(
    ray: Any, cpus: int, interrupts: Interrupts, *, instead: str, show_logs: bool = False
) -> Iterator[None]:
    """Start a node, and end it.

    Args:
        ray: the library, as `imported_ray` returns it.
        cpus: how many CPUs the node believes to have.
        interrupts: kept from cutting start and end of the node short.
        instead: what does without Ray, to be told where the node does not start.
        show_logs: whether what workers print is shown here.

    Raises:
        ExecutorError: if the node does not start.
    """
    options = {"num_cpus": cpus, "log_to_driver": show_logs}
    with TemporaryDirectory(prefix="ray-", ignore_cleanup_errors=True) as temporary:
        try:
            _start(ray, options | {"_temp_dir": temporary}, interrupts, instead)
            yield
        finally:
            with interrupts.held():
                ray.shutdown()
                _end_processes(temporary)


def _start(ray: Any, options: dict[str, Any], interrupts: Interrupts, instead: str) -> None:
    """Start the node, with patience: on a busy machine it fails at times."""
    for left in reversed(range(_ATTEMPTS)):
        with interrupts.held(), without_sigint(), _handlers_kept(), _without_dashboard(ray):
            error = _started(ray, options)
            if error is None:
                return
            _end_processes(options["_temp_dir"])
        if not left:
            raise ExecutorError(f"Ray does not start: {error}; {instead} does without it")


def _started(ray: Any, options: dict[str, Any]) -> str | None:
    """Try to start the node and return why it did not start."""
    try:
        ray.init(
            address="local",
            num_gpus=0,
            object_store_memory=_OBJECT_STORE,
            include_dashboard=False,
            logging_level="error",
            **options,
        )
    except (RuntimeError, OSError, ValueError) as error:
        return last_line(error).removesuffix(".")
    except Exception as error:
        # Ray has no class of its own for a node that is late, only these words.
        if type(error) is not Exception or _LATE not in str(error):
            raise
        return last_line(error).removesuffix(".")
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
def _without_dashboard(ray: Any) -> Iterator[None]:
    """Let the node's agent do without the dashboard's libraries, as it does where they are not installed.

    A node gives its agent 15 seconds, which no setting changes, and ends if importing them takes longer.
    """
    utils = getattr(getattr(ray, "_private", None), "utils", None)
    before = getattr(utils, "get_dashboard_dependency_error", None)
    if utils is None or before is None:
        yield
        return
    utils.get_dashboard_dependency_error = lambda: ImportError("not asked for")
    try:
        yield
    finally:
        utils.get_dashboard_dependency_error = before


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


def last_line(error: BaseException) -> str:
    """The last line of an error, which is what a worker's own error says."""
    return (str(error).strip().splitlines() or [type(error).__name__])[-1]
