"""An evaluation: agents on seeds of tiers, played by an executor and stored episode by episode."""

import os
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from functools import partial
from pathlib import Path
from typing import Final, Protocol

from qrewrite.tasks import TIERS
from quantum_circuit_env.agents.endpoint import read_environment
from quantum_circuit_env.agents.hosting import RemoteHost
from quantum_circuit_env.agents.interrupts import Interrupts
from quantum_circuit_env.agents.loop import Game
from quantum_circuit_env.agents.pace import Pace
from quantum_circuit_env.agents.provider import Provider
from quantum_circuit_env.agents.registry import agent_factory, provider_from
from quantum_circuit_env.agents.session import Session
from quantum_circuit_env.evals.configuration import Config, ExecutorName
from quantum_circuit_env.evals.executors import Job, processes, threads
from quantum_circuit_env.evals.executors_ray import ray_shards
from quantum_circuit_env.evals.playing import LocalSession
from quantum_circuit_env.evals.provenance import RunInfo, fingerprint, new_run
from quantum_circuit_env.evals.raw_replies import TURNS, RawReplies
from quantum_circuit_env.evals.ray_node import imported_ray
from quantum_circuit_env.evals.records import Episode, EpisodeKey
from quantum_circuit_env.evals.shards import SHARDS, leftovers
from quantum_circuit_env.evals.stats.extras import require
from quantum_circuit_env.evals.store import RunFolder
from quantum_circuit_env.evals.units import Unit

SERVER_PATIENCE: Final = 30.0
"""Seconds to wait for a server's first answer."""


class Watcher(Protocol):
    """Somebody who is told how an evaluation goes."""

    def begin(self, stored: int, total: int) -> None:
        """Episodes are about to be played; that many of the run are complete already."""

    def played(self, episode: Episode) -> None:
        """An episode has been stored."""


def evaluate(
    config: Config,
    out: Path,
    *,
    resume: bool = False,
    watcher: Watcher | None = None,
    interrupts: Interrupts | None = None,
) -> RunFolder:
    """Play what is missing of a run, store each episode as it ends, and return the run, for reading.

    Args:
        config: what to evaluate.
        out: folder of the run.
        resume: whether to go on with a run that is there; otherwise there must be none.
        watcher: told of each episode.
        interrupts: how signals end it: between two episodes, never within the writing of one.

    Raises:
        StoreError: if the folder is not one to write this run to.
        EndpointError, CredentialError: if a model cannot be asked, or its spec holds a key.
        HostError: if no server answers.
        ExecutorError: if a worker ends; what was stored stays.
        MissingExtraError: if Ray is asked for, or raw replies without pyarrow, and not installed.
        RawRepliesError: if raw replies cannot be kept.
        InfoError: if an agent, tier or seed is given twice, or none is.
    """
    interrupts = interrupts or Interrupts()
    # What is missing is told before a folder is made.
    providers = _providers(config)
    info = _info(config, providers)
    if config.executor == "ray":
        imported_ray()
    if config.url is not None:
        RemoteHost(config.url, SERVER_PATIENCE).client()
    if config.raw_replies:
        require("pyarrow", extra="eval")
    with (
        RunFolder.open(out).resume(info) if resume else RunFolder.create(out, info) as run,
        _raw_replies(config, run, providers) as replies,
    ):
        units = ordered(run.info, run.missing())
        if watcher:
            watcher.begin(len(run.done), len(run.done) + len(units))
        try:
            with closing(_episodes(config, run, units, providers, interrupts, replies)) as episodes:
                for episode in episodes:
                    with interrupts.held():
                        run.append(episode)
                        if watcher:
                            watcher.played(episode)
        finally:
            with interrupts.held():
                run.finish(
                    {agent: sorted(provider.served) for agent, provider in providers.items()},
                    {agent: provider.parameters for agent, provider in providers.items()},
                )
    return RunFolder.open(out)


def _providers(config: Config) -> dict[str, Provider]:
    environ = read_environment(os.environ, Path.cwd()) if config.models else {}
    # One for all: they have one key, by which services count.
    pace = None if config.rate is None else Pace(config.rate)
    return {str(spec): provider_from(spec, environ, pace=pace) for spec in config.models}


def _raw_replies(
    config: Config, run: RunFolder, providers: Mapping[str, Provider]
) -> AbstractContextManager[RawReplies | None]:
    """Return where raw replies are kept: as asked for, or because the run has kept them until now."""
    if not (config.raw_replies or (run.path / TURNS).exists()):
        return nullcontext()
    keys = {provider.endpoint.key for provider in providers.values()}
    return RawReplies(run.path, keys)


def _info(config: Config, providers: Mapping[str, Provider]) -> RunInfo:
    asked = [
        fingerprint(spec, provider.endpoint, provider.parameters)
        if (provider := providers.get(str(spec)))
        else fingerprint(spec)
        for spec in config.agents
    ]
    return new_run(
        agents=asked,
        tiers=config.tiers,
        seeds=config.seeds,
        split=config.split,
        samples=config.samples,
        turns=config.turns,
        server=config.url,
        overall=config.overall,
    )


def ordered(info: RunInfo, keys: Sequence[EpisodeKey]) -> list[Unit]:
    """Return the units of episodes: all of one task together, those of the last tier, the longest, first."""
    last_first = {tier: -number for number, tier in enumerate(TIERS)}
    by_task = sorted(keys, key=lambda key: (last_first[key.tier], key.seed))
    return [Unit(info.revision, *key) for key in by_task]


def _episodes(
    config: Config,
    run: RunFolder,
    units: Sequence[Unit],
    providers: Mapping[str, Provider],
    interrupts: Interrupts,
    replies: RawReplies | None,
) -> Generator[Episode, None, None]:
    shards = run.path / SHARDS
    rest = yield from leftovers(units, shards)
    if rest:
        yield from _played(config, run.info, rest, providers, interrupts, shards, replies)


def _played(
    config: Config,
    info: RunInfo,
    units: Sequence[Unit],
    providers: Mapping[str, Provider],
    interrupts: Interrupts,
    shards: Path,
    replies: RawReplies | None,
) -> Generator[Episode, None, None]:
    job = Job(info.run_id, info.split, info.turns)
    workers = max(1, min(config.workers, len(units)))
    executor = config.executor or _suitable(config)
    if executor == "process":
        return processes(units, job, workers=workers, interrupts=interrupts)
    if executor == "ray":
        return ray_shards(units, job, workers=workers, interrupts=interrupts, folder=shards)
    factories = {str(spec): agent_factory(spec, providers.get(str(spec))) for spec in config.agents}
    return threads(
        units,
        job,
        workers=workers,
        interrupts=interrupts,
        factories=factories,
        new_session=_sessions(config.url),
        keep=replies.append if replies else None,
    )


def _suitable(config: Config) -> ExecutorName:
    return "async" if config.url is not None or config.models else "process"


def _sessions(url: str | None) -> Callable[[], Game]:
    if url is None:
        return LocalSession
    # It has answered: a server that is away later is not waited for again and again.
    return partial(_remote_session, url)


def _remote_session(url: str) -> Game:
    return Session(RemoteHost(url, 0.0))
