"""Shards: pieces of a run that are played elsewhere, each of which comes back as one file.

A shard's name is made from its units and its file appears as a whole or not at all. So a shard may be played
twice, by a worker that is started again or by two at a time, and what a driver was killed over is not lost.
"""

import os
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from quantum_circuit_env.evals.executors import ExecutorError, Job, play_chunk
from quantum_circuit_env.evals.records import Episode, EpisodeKey, RecordError
from quantum_circuit_env.evals.units import Unit

SHARDS: Final = "shards"
"""Folder of a run in which shards lie until they are merged."""

SMALLEST: Final = 50
LARGEST: Final = 200
"""Units of a shard: so many that a task's cost does not count, so few that little is lost with one."""

_ROUNDS: Final = 4
"""Shards for each worker, where there are units enough."""

_ENDING: Final = ".jsonl"


@dataclass(frozen=True, slots=True)
class Shard:
    """Some units that are played by one worker, one after the other."""

    units: tuple[Unit, ...]

    @property
    def id(self) -> str:
        """Its name: the same for the same units, in whatever order."""
        return sha256("\n".join(sorted(unit.key for unit in self.units)).encode()).hexdigest()[:16]

    def path(self, folder: Path) -> Path:
        """Where it is put."""
        return folder / f"{self.id}{_ENDING}"


def sharded(
    units: Sequence[Unit], workers: int, *, smallest: int = SMALLEST, largest: int = LARGEST
) -> list[Shard]:
    """Return the units in shards, neighbours in the same one; four for each worker where they are enough."""
    size = min(largest, max(smallest, -(-len(units) // (_ROUNDS * workers))))
    return [Shard(tuple(units[start : start + size])) for start in range(0, len(units), size)]


def play_shard(shard: Shard, job: Job, folder: Path) -> int:
    """Play a shard unless its file is there, put the file into the folder, and return its number of units."""
    path = shard.path(folder)
    if not path.exists():
        text = "".join(f"{episode.to_json()}\n" for episode in play_chunk(shard.units, job))
        folder.mkdir(parents=True, exist_ok=True)
        # A name of its own: another worker may be at the same shard.
        fresh = path.with_suffix(f".{os.getpid()}.tmp")
        with fresh.open("w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    return len(shard.units)


def merged(shard: Shard, folder: Path) -> Generator[Episode, None, None]:
    """Yield the episodes of a shard that has been played, then drop its file.

    Raises:
        ExecutorError: if they are not those of its units, each once.
    """
    path = shard.path(folder)
    episodes = list(_read(path))
    found = [episode.key for episode in episodes]
    wanted = [_key(unit) for unit in shard.units]
    if sorted(found) != sorted(wanted):
        raise ExecutorError(
            f"{path} has not the episodes of its units: {len(set(wanted) - set(found))} are missing, "
            f"{len(found) - len(set(found))} doubled, {len(set(found) - set(wanted))} of others"
        )
    yield from episodes
    path.unlink()


def leftovers(units: Sequence[Unit], folder: Path) -> Generator[Episode, None, list[Unit]]:
    """Yield what a killed driver has left in shards, drop their files, and return what is still to play.

    Args:
        units: what is to be played; other episodes have been merged before.
        folder: where shards are, if there are any.

    Raises:
        ExecutorError: if a shard cannot be read.
    """
    left = {_key(unit): unit for unit in units}
    for path in sorted(folder.glob(f"*{_ENDING}")):
        for episode in _read(path):
            if episode.complete and left.pop(episode.key, None) is not None:
                yield episode
        path.unlink()
    for torn in folder.glob("*.tmp"):
        torn.unlink()
    drop_if_empty(folder)
    return list(left.values())


def drop_if_empty(folder: Path) -> None:
    """Remove the folder of shards if it is there and none is in it."""
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()


def _read(path: Path) -> Iterator[Episode]:
    try:
        for line in path.read_text("utf-8").splitlines():
            yield Episode.from_json(line)
    except (OSError, UnicodeDecodeError, RecordError) as error:
        raise ExecutorError(f"the shard {path} cannot be read: {error}") from None


def _key(unit: Unit) -> EpisodeKey:
    return EpisodeKey(unit.agent, unit.tier, unit.seed, unit.sample)
