"""The folder of a run: `run.json`, and `episodes.jsonl`, to which each episode is added as one line.

The lines are the truth, everything else is derived from them. A process may be killed at any moment: what was
written stays, a line that was being written does not count, and the run is resumed where it stood.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from quantum_circuit_env.evals.folder_lock import FolderLock, LockedError
from quantum_circuit_env.evals.journal import Journal, whole_lines
from quantum_circuit_env.evals.provenance import CredentialError, InfoError, RunInfo
from quantum_circuit_env.evals.records import Episode, EpisodeKey, RecordError

INFO: Final = "run.json"
EPISODES: Final = "episodes.jsonl"
_LOCK: Final = "run.lock"


class StoreError(Exception):
    """Raised for a folder that cannot be used as it is asked for; says what is in the way."""


class ResumeError(StoreError):
    """Raised where a run would go on with another configuration; names each part that differs."""


class RunFolder:
    """One run on disk. `create` and `resume` make it writable, for one process at a time, until `close`.

    Attributes:
        path: the folder.
        info: what `run.json` says.
    """

    def __init__(self, path: Path, info: RunInfo) -> None:
        self.path = path
        self.info = info
        self._planned = frozenset(info.keys())
        self._done: set[EpisodeKey] = set()
        self._lock: FolderLock | None = None
        self._journal: Journal | None = None

    @classmethod
    def create(cls, path: Path, info: RunInfo) -> Self:
        """Begin a run in a folder that holds none, and return it writable.

        Raises:
            StoreError: if there is a run, if the folder cannot be written, or another process is in it.
            CredentialError: if `info` would store a credential.
        """
        text = info.to_json()
        run = cls(path, info)
        try:
            path.mkdir(parents=True, exist_ok=True)
            run._take_lock()
            found = [name for name in (INFO, EPISODES) if (path / name).exists()]
            if found:
                raise StoreError(
                    f"{path} holds a run already ({found[0]}): resume it, or take another folder"
                )
            _put(path / INFO, text)
            run._journal = Journal(path / EPISODES)
        except OSError as error:
            run.close()
            raise StoreError(f"{path} cannot be written: {error}") from None
        except StoreError:
            run.close()
            raise
        return run

    @classmethod
    def open(cls, path: Path) -> Self:
        """Return the run of a folder for reading; StoreError if there is none or it cannot be read."""
        return cls(path, _info(path))

    def resume(self, info: RunInfo) -> Self:
        """Go on with the run: cut off a torn last line, note the sitting of `info`, and become writable.

        Args:
            info: the configuration as it is asked for now; its name does not count.

        Raises:
            ResumeError: if it is not the one that the run was begun with.
            StoreError: if the folder cannot be read or written, or another process is in it.
        """
        if self._lock is not None:
            raise StoreError(f"{self.path} is open for writing already")
        try:
            self._take_lock()
            # Read again: until now another process may have written.
            self.info = _info(self.path)
            self._refuse_changes(info)
            self._done = self._complete()
            self.info = self.info.sat_down(info.sittings[-1])
            _put(self.path / INFO, self.info.to_json())
            self._journal = Journal(self.path / EPISODES)
        except OSError as error:
            self.close()
            raise StoreError(f"{self.path} cannot be written: {error}") from None
        except (StoreError, CredentialError):
            self.close()
            raise
        return self

    def _refuse_changes(self, info: RunInfo) -> None:
        found = self.info.differences(info)
        if found:
            told = "; ".join(each.told("when it was begun", "now") for each in found)
            raise ResumeError(f"{self.path} holds a run of another configuration: {told}")

    def _take_lock(self) -> None:
        try:
            self._lock = FolderLock(self.path / _LOCK)
        except LockedError:
            raise StoreError(f"{self.path} is being written by another process") from None

    def append(self, episode: Episode) -> None:
        """Add one episode, in one write that is with the system when this returns.

        Raises:
            StoreError: if the run is not writable, the episode is none of it, or a complete one is there.
        """
        if self._journal is None:
            raise StoreError(f"{self.path} is open for reading: create or resume it to write")
        self._check(episode)
        if episode.key in self._done:
            raise StoreError(f"{_named(episode.key)} is complete already")
        try:
            self._journal.append(episode.to_json())
        except OSError as error:
            raise StoreError(f"{self.path / EPISODES} cannot be written: {error}") from None
        if episode.complete:
            self._done.add(episode.key)

    def episodes(self) -> list[Episode]:
        """Return the episodes as they stand: of an incomplete one that was played again, the last.

        Raises:
            StoreError: if a line is no record or none of this run, or if a complete episode is there twice.
        """
        found: dict[EpisodeKey, Episode] = {}
        for number, episode in self._read():
            before = found.pop(episode.key, None)
            if before is not None and before.complete:
                raise self._wrong(number, f"{_named(episode.key)} is there a second time")
            found[episode.key] = episode
        return list(found.values())

    @property
    def done(self) -> frozenset[EpisodeKey]:
        """Keys of the complete episodes."""
        return frozenset(self._complete() if self._journal is None else self._done)

    def missing(self) -> list[EpisodeKey]:
        """Return the keys of the episodes that are still to be played, in the order of the plan."""
        done = self.done
        return [key for key in self.info.keys() if key not in done]  # noqa: SIM118

    def finish(
        self,
        returned_models: Mapping[str, Iterable[str]] | None = None,
        sent: Mapping[str, Mapping[str, int | float | str]] | None = None,
    ) -> None:
        """Note in `run.json` that this sitting has ended, and what the models' services have told.

        Args:
            returned_models: agent → models that its service said had answered.
            sent: agent → settings that were still sent to its service in the end.

        Raises:
            StoreError: if it cannot be written; the episodes are stored.
        """
        self.info = self.info.finished(returned_models or {}, sent or {})
        try:
            _put(self.path / INFO, self.info.to_json())
        except OSError as error:
            raise StoreError(f"{self.path / INFO} cannot be written: {error}") from None

    def close(self) -> None:
        """Stop writing and let other processes write; may be called again."""
        if self._journal is not None:
            self._journal.close()
            self._journal = None
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _complete(self) -> set[EpisodeKey]:
        return {episode.key for episode in self.episodes() if episode.complete}

    def _read(self) -> Iterator[tuple[int, Episode]]:
        """Yield each whole line's number and record."""
        for number, line in enumerate(whole_lines(self.path / EPISODES), start=1):
            try:
                episode = Episode.from_json(line.decode())
                self._check(episode)
            except (RecordError, UnicodeDecodeError, StoreError) as error:
                raise self._wrong(number, str(error)) from None
            yield number, episode

    def _check(self, episode: Episode) -> None:
        """Raise a StoreError for an episode that does not belong to this run."""
        if episode.run_id != self.info.run_id:
            raise StoreError(f"an episode of run {episode.run_id}, this is {self.info.run_id}")
        if episode.evaluator_revision != self.info.revision:
            raise StoreError(f"played by {episode.evaluator_revision}, this run by {self.info.revision}")
        if episode.key not in self._planned:
            raise StoreError(f"{_named(episode.key)} is not of this run")

    def _wrong(self, number: int, what: str) -> StoreError:
        return StoreError(f"{self.path / EPISODES}, line {number}: {what}")


def _named(key: EpisodeKey) -> str:
    return f"{key.agent_id} on {key.tier} {key.seed}, sample {key.sample},"


def _info(path: Path) -> RunInfo:
    try:
        return RunInfo.from_json((path / INFO).read_text("utf-8"))
    except FileNotFoundError:
        raise StoreError(f"{path} holds no run: there is no {INFO} in it") from None
    except (OSError, UnicodeDecodeError, InfoError) as error:
        raise StoreError(f"{path / INFO} cannot be read: {error}") from None


def _put(path: Path, text: str) -> None:
    """Put a text in a file's place, as a whole or not at all."""
    fresh = path.with_suffix(".tmp")
    with fresh.open("w", encoding="utf-8", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)
