"""The one loop in which agents play: ask, play, class the turn, and see whether the episode is over."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from time import perf_counter
from typing import Final, NamedTuple, Protocol

from qrewrite.game import Action
from qrewrite.tasks import TIERS
from quantum_circuit_env.agents.agent import Agent, Decision, Seen, Turn, invalid_move
from quantum_circuit_env.agents.clock import Deadline
from quantum_circuit_env.agents.provider import ProviderError
from quantum_circuit_env.agents.session import SessionError, Snapshot
from quantum_circuit_env.agents.transcript import one_line
from quantum_circuit_env.agents.vocabulary import EndReason, ErrorClass

SUCCESS_SCORE: Final = 0.10
"""Score from which an episode counts as a success."""

INVALID_STREAK: Final = 5
"""Unusable replies in a row after which an episode ends."""


class Game(Protocol):
    """Where episodes are played: a session with a server, or one without."""

    def reset(self, *, task: str, seed: int) -> Snapshot:
        """Begin the episode of (task, seed), or raise a SessionError."""

    def step(self, action: Action) -> Snapshot:
        """Play one action, or raise a SessionError."""

    def close(self) -> None:
        """Give back what the session holds."""


class Plan(NamedTuple):
    """What is to be played."""

    task: str
    seed: int


@dataclass(slots=True)
class Record:
    """What became of an episode.

    Attributes:
        plan: what was to be played.
        score: the server's grade so far; the floor as long as there is none.
        turns: the turns, first one first.
        end: why it ended.
        classes: how often a turn was of which class.
        first, last: what the server said after the reset and last; None before the reset.
        thinking: seconds that the agent took to decide.
        fault: what went wrong outside of the game, in one line.
    """

    plan: Plan
    score: float = field(init=False)
    turns: list[Turn] = field(default_factory=list)
    end: EndReason = EndReason.INCOMPLETE
    classes: Counter[ErrorClass] = field(default_factory=Counter)
    first: Snapshot | None = None
    last: Snapshot | None = None
    thinking: float = 0.0
    fault: str | None = None

    def __post_init__(self) -> None:
        self.score = TIERS[self.plan.task].scoring.floor

    @property
    def success(self) -> bool:
        """Whether it counts as a success; an episode that was broken off never does."""
        return self.end is not EndReason.INCOMPLETE and self.score >= SUCCESS_SCORE


class Loop:
    """Plays episodes with one agent; faults of the server and of the model's service end them.

    Args:
        game: where to play.
        agent: who plays.
        deadline: when nothing new is begun any more.
        turns: turns of an episode at most.
        on_reset: told of what the server says to a reset; may raise a SessionError.
        on_turn: told of each turn, which is noted already; may raise a SessionError.
    """

    def __init__(
        self,
        game: Game,
        agent: Agent,
        deadline: Deadline,
        *,
        turns: int,
        on_reset: Callable[[Snapshot], None],
        on_turn: Callable[[Turn, Snapshot], None],
    ) -> None:
        self._game = game
        self._agent = agent
        self._deadline = deadline
        self._turns = turns
        self._on_reset = on_reset
        self._on_turn = on_turn

    def play(self, record: Record) -> None:
        """Play the episode that the record plans, and note in it what happens, while it happens."""
        try:
            record.end = self._play(record)
        except SessionError as error:
            record.fault = one_line(f"server: {error}")
        except ProviderError as error:
            record.fault = one_line(f"model: {error}")
            record.end = error.reason
            if error.reason is EndReason.INCOMPLETE:
                record.classes[ErrorClass.API_ERROR] += 1

    def _play(self, record: Record) -> EndReason:
        if self._deadline.over:
            return EndReason.RUN_BUDGET
        now = self._game.reset(task=record.plan.task, seed=record.plan.seed)
        record.first = record.last = now
        record.score = now.score
        self._on_reset(now)
        while (end := self._ended(record, now)) is None:
            decision = self._decide(record, now)
            if decision is None:
                return EndReason.AGENT_STOP
            now = self._step(record, now, decision)
        return end

    def _ended(self, record: Record, now: Snapshot) -> EndReason | None:
        """Return why the episode is over, or None while it goes on."""
        if now.termination is not None:
            return EndReason(now.termination.value)
        last = record.turns[-INVALID_STREAK:]
        if len(last) == INVALID_STREAK and all(turn.decision.action is None for turn in last):
            return EndReason.INVALID_STREAK
        if len(record.turns) >= self._turns:
            return EndReason.TURN_BUDGET
        return EndReason.RUN_BUDGET if self._deadline.over else None

    def _decide(self, record: Record, now: Snapshot) -> Decision | None:
        seen = Seen(
            circuit=now.circuit,
            scoring=TIERS[record.plan.task].scoring,
            initial_count=now.initial_count,
            steps=now.steps,
            turns_left=self._turns - len(record.turns),
            used_advanced_actions=now.used_advanced_actions,
            turns=tuple(record.turns),
        )
        began = perf_counter()
        try:
            return self._agent.decide(seen)
        finally:
            record.thinking += perf_counter() - began

    def _step(self, record: Record, before: Snapshot, decision: Decision) -> Snapshot:
        """Play a decision, an unusable one as the move that is refused, and note it."""
        played = decision.action or invalid_move(before.circuit)
        now = self._game.step(played)
        turn = Turn(decision, now.result, now.reward, played)
        record.last = now
        record.score = now.score
        record.turns.append(turn)
        record.classes[turn.kind] += 1
        self._on_turn(turn, now)
        return now
