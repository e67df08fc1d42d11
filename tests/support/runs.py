"""Runs as the tests store them, and a writer that may be killed."""

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cache
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from quantum_circuit_env.evals.provenance import RunInfo, fingerprint, new_run
from quantum_circuit_env.evals.records import Episode, EpisodeKey
from quantum_circuit_env.evals.store import RunFolder
from support.units import FIRST, played, timeless


def run_info(agents: tuple[str, ...] = ("null", "cancel-first"), **changes: Any) -> RunInfo:
    """A small run: 2 agents on 3 seeds of a tier, 2 samples."""
    asked: dict[str, Any] = {
        "tiers": ["easy"],
        "seeds": range(FIRST, FIRST + 3),
        "split": "test",
        "samples": 2,
        "turns": 15,
        "run_id": "run-1",
    }
    return new_run(agents=[fingerprint(agent) for agent in agents], **{**asked, **changes})


@cache
def _template() -> Episode:
    return replace(timeless(played("cancel-first", turns=15)), started_at="2026-11-30T12:00:00.000+00:00")


def episode_of(info: RunInfo, key: EpisodeKey, *, complete: bool = True) -> Episode:
    """An episode of the run, the same whenever it is made; what it says of the circuit is of another one."""
    made = replace(
        _template(),
        run_id=info.run_id,
        evaluator_revision=info.revision,
        agent_id=key.agent_id,
        tier=key.tier,
        seed=key.seed,
        sample=key.sample,
    )
    return made if complete else made.broken_off("the service was away")


def faulty(key: EpisodeKey) -> bool:
    """Whether an episode first breaks off."""
    return key.seed % 5 == 0


def steps_of(info: RunInfo, key: EpisodeKey) -> Iterator[Episode]:
    """What is stored of an episode, one after the other; the last is complete."""
    if faulty(key):
        yield episode_of(info, key, complete=False)
    yield episode_of(info, key)


def write_missing(path: Path, info: RunInfo, ready: Connection) -> None:
    """Resume the run and play what is missing, to the end or until killed; say when it begins."""
    _template()  # which imports the agents: longer than some writers live
    with RunFolder.open(path).resume(info) as run:
        ready.send(os.getpid())
        for key in run.missing():
            for episode in steps_of(run.info, key):
                run.append(episode)
                # Playing takes its time.
                time.sleep(0.001)
        run.finish()


def hold_with_a_child(path: Path, info: RunInfo, ready: Connection) -> None:
    """Resume the run, leave a forked child behind, say its number, and wait."""
    with RunFolder.open(path).resume(info):
        child = os.fork()
        if child == 0:
            with suppress(BaseException):
                time.sleep(600)
            os._exit(0)
        ready.send(child)
        time.sleep(600)
