"""Who plays the units of a run: processes for agents that compute, threads for agents and servers that wait.

What is played is decided by the units alone, so that any number of workers gives the same set of episodes;
only their order and their times differ. An executor yields each episode as it ends. Closing it early drops
what is in flight.
"""

import multiprocessing
import os
import signal
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import islice
from multiprocessing.connection import Connection
from queue import Empty, SimpleQueue
from random import Random
from threading import Event, Thread
from typing import Final, NamedTuple, TypeAlias

from quantum_circuit_env.agents.agent import Agent
from quantum_circuit_env.agents.clock import Deadline
from quantum_circuit_env.agents.interrupts import Interrupts
from quantum_circuit_env.agents.llm import Exchange, LlmAgent
from quantum_circuit_env.agents.loop import Game
from quantum_circuit_env.agents.registry import agent_factory
from quantum_circuit_env.agents.spec import AgentSpec
from quantum_circuit_env.evals.counting import counted
from quantum_circuit_env.evals.playing import LocalSession, play_unit
from quantum_circuit_env.evals.records import Episode
from quantum_circuit_env.evals.units import Unit

Factory: TypeAlias = Callable[[Random], Agent]
"""What makes the agent of an episode from the unit's source of randomness."""

_LARGEST_CHUNK: Final = 16
"""Units that a process is given at once; as many are lost with it."""

_ROUNDS: Final = 8
"""Chunks for each process at least, so that none waits long for the last one."""

_POLL_SECONDS: Final = 0.2
_GRACE_SECONDS: Final = 2.0
"""How long a thread that has been told to stop is waited for."""


class ExecutorError(Exception):
    """Raised when a worker has ended before its units were played."""


@dataclass(frozen=True, slots=True)
class Job:
    """What holds for all units of a run.

    Attributes:
        run_id, split: noted in each record.
        turns: turns of an episode at most.
    """

    run_id: str
    split: str | None
    turns: int

    def play(self, unit: Unit, factory: Factory, session: Game, deadline: Deadline | None = None) -> Episode:
        """Play a unit and return its record."""
        return play_unit(
            unit, factory, session, self.turns, run_id=self.run_id, split=self.split, deadline=deadline
        )


def processes(
    units: Sequence[Unit], job: Job, *, workers: int, interrupts: Interrupts
) -> Generator[Episode, None, None]:
    """Yield the episodes of agents that ask no service, played in process by worker processes.

    They are spawned, need no OpenEnv, and end with this process, even if it is killed.

    Args:
        units: what to play; neighbours are played by one worker, which knows their task already.
        job: what holds for all of them.
        workers: number of processes.
        interrupts: kept from cutting short what the pool does.

    Raises:
        ExecutorError: if a worker process ends.
    """
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_begin, initargs=(ours,))
    chunks = iter(chunked(units, workers))
    try:
        running: set[Future[list[Episode]]] = set()
        while True:
            with interrupts.held(), without_sigint():
                more = islice(chunks, 2 * workers - len(running))
                running |= {pool.submit(play_chunk, chunk, job) for chunk in more}
            if not running:
                break
            done, running = wait(running, _POLL_SECONDS, FIRST_COMPLETED)
            for future in done:
                yield from future.result()
    except BrokenProcessPool as error:
        raise ExecutorError(f"a worker process has ended: {error}") from error
    finally:
        with interrupts.held():
            # Workers that still play end when this is closed; idle ones end either way.
            theirs.close()
            pool.shutdown(cancel_futures=True)
            ours.close()


def chunked(units: Sequence[Unit], workers: int) -> Iterator[Sequence[Unit]]:
    """Yield the units in pieces, small enough to keep that many workers busy to the end."""
    size = max(1, min(_LARGEST_CHUNK, len(units) // (_ROUNDS * workers)))
    for start in range(0, len(units), size):
        yield units[start : start + size]


def play_chunk(units: Sequence[Unit], job: Job) -> list[Episode]:
    """Play units one after the other, in process."""
    session = LocalSession()
    return [job.play(unit, _factory(unit.agent), session) for unit in units]


@cache
def _factory(agent: str) -> Factory:
    return agent_factory(AgentSpec.parse(agent))


def _begin(driver: Connection) -> None:
    """Prepare a worker process: the driver alone decides when it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_driver, args=(driver,), name="driver-watch", daemon=True).start()


def _end_with_driver(driver: Connection) -> None:
    # Nothing is ever sent: it becomes readable when its other end is closed, by the driver or by its death.
    driver.poll(None)
    os._exit(0)


@contextmanager
def without_sigint() -> Iterator[None]:
    """Let processes that are started here never see the terminal's Ctrl-C, not even while they start."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _Until(Deadline):
    """A deadline that is over as soon as an event is set, and not before."""

    def __init__(self, stop: Event) -> None:
        super().__init__(float("inf"))
        self._stop = stop

    @property
    def left(self) -> float:
        return 0.0 if self._stop.is_set() else float("inf")


def threads(
    units: Sequence[Unit],
    job: Job,
    *,
    workers: int,
    interrupts: Interrupts,
    factories: Mapping[str, Factory],
    new_session: Callable[[], Game],
    keep: Callable[[Episode, Sequence[Exchange]], None] | None = None,
) -> Generator[Episode, None, None]:
    """Yield the episodes of any agents, played in threads of this process, each over a session of its own.

    Args:
        units: what to play.
        job: what holds for all of them.
        workers: number of sessions that are open at a time.
        interrupts: kept from cutting the end short.
        factories: agent → what makes it for an episode.
        new_session: opens a session; called by each thread, and again after an episode that was broken off.
        keep: given what a model was asked and has replied, before the episode is yielded.

    Raises:
        ExecutorError: if a thread ends before all is played; its error has been told on standard error.
    """
    todo: SimpleQueue[Unit] = SimpleQueue()
    for unit in units:
        todo.put(unit)
    found: SimpleQueue[_Played | None] = SimpleQueue()
    stop = Event()
    crew = _Crew(todo, found, stop, job, factories, new_session)
    hands = [Thread(target=crew.work, name=f"session-{n}", daemon=True) for n in range(workers)]
    for hand in hands:
        hand.start()
    try:
        left, at_work = len(units), workers
        while at_work:
            played = found.get()
            if played is None:
                at_work -= 1
                continue
            left -= 1
            if keep is not None:
                with interrupts.held():
                    keep(played.episode, played.exchanges)
            yield played.episode
        if left:
            raise ExecutorError(f"not played, for a thread has failed: {counted(left, 'episode')}")
    finally:
        with interrupts.held():
            stop.set()
            for hand in hands:
                hand.join(_GRACE_SECONDS)


class _Played(NamedTuple):
    episode: Episode
    exchanges: list[Exchange]


@dataclass(frozen=True, slots=True)
class _Crew:
    """What the threads of one run share."""

    todo: SimpleQueue[Unit]
    found: SimpleQueue[_Played | None]
    stop: Event
    job: Job
    factories: Mapping[str, Factory]
    new_session: Callable[[], Game]

    def work(self) -> None:
        """Play units until there are no more; say None at the end, whatever brings it about."""
        try:
            session = self.new_session()
            try:
                while not self.stop.is_set():
                    unit = self.todo.get_nowait()
                    played = self._play(unit, session)
                    self.found.put(played)
                    if not played.episode.complete:
                        session.close()
                        session = self.new_session()
            except Empty:
                return
            finally:
                session.close()
        finally:
            self.found.put(None)

    def _play(self, unit: Unit, session: Game) -> _Played:
        exchanges: list[Exchange] = []

        def factory(rng: Random) -> Agent:
            agent = self.factories[unit.agent](rng)
            if isinstance(agent, LlmAgent):
                agent.on_exchange = exchanges.append
            return agent

        return _Played(self.job.play(unit, factory, session, _Until(self.stop)), exchanges)
