"""The executor `ray`: shards of units, played by the workers of a local Ray node.

It pays where an agent needs more memory or other isolation than a process of our own gives; what comes out is
the same. `ray_node` says how the node lives and ends.
"""

from collections.abc import Generator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final

from quantum_circuit_env.agents.interrupts import Interrupts
from quantum_circuit_env.evals.executors import ExecutorError, Job
from quantum_circuit_env.evals.ray_node import imported_ray, last_line, local_node
from quantum_circuit_env.evals.records import Episode
from quantum_circuit_env.evals.shards import Shard, drop_if_empty, merged, play_shard, sharded
from quantum_circuit_env.evals.units import Unit

_RETRIES: Final = 3
"""How often a shard is played again whose worker has died."""

_IN_FLIGHT: Final = 2
"""Shards for each CPU that the node is given at a time."""

_POLL_SECONDS: Final = 0.2


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
    with local_node(ray, workers, interrupts, instead="--executor process"):
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
                    raise ExecutorError(
                        f"the shard {shard.id} cannot be played: {last_line(error)}"
                    ) from error
                yield from merged(shard, folder)
