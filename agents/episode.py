"""One episode of an agent over a session, written down as it happens."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from qrewrite.tasks import GAME_VERSION, TIERS
from quantum_circuit_env.agents.agent import Agent, Decision, Seen, Turn, invalid_move
from quantum_circuit_env.agents.clock import Deadline
from quantum_circuit_env.agents.provider import ProviderError
from quantum_circuit_env.agents.session import Session, SessionError, Snapshot
from quantum_circuit_env.agents.transcript import Transcript, one_line, plain
from quantum_circuit_env.agents.vocabulary import EndReason, ErrorClass, class_of

SUCCESS_SCORE: Final = 0.10
"""Score from which an episode counts as a success."""

INVALID_STREAK: Final = 5
"""Unusable replies in a row after which an episode ends."""


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
    """

    plan: Plan
    score: float
    turns: list[Turn] = field(default_factory=list)
    end: EndReason = EndReason.INCOMPLETE
    classes: Counter[ErrorClass] = field(default_factory=Counter)

    @property
    def success(self) -> bool:
        """Whether it counts as a success; an episode that was broken off never does."""
        return self.end is not EndReason.INCOMPLETE and self.score >= SUCCESS_SCORE


class Runner:
    """Plays planned episodes with one agent."""

    def __init__(
        self,
        session: Session,
        agent: Agent,
        transcript: Transcript,
        deadline: Deadline,
        *,
        turns: int,
        log: Callable[[str], None],
    ) -> None:
        self._session = session
        self._agent = agent
        self._transcript = transcript
        self._deadline = deadline
        self._turns = turns
        self._log = log

    def play(self, plan: Plan) -> Record:
        """Play one episode; whatever happens, its end is written."""
        record = Record(plan, score=TIERS[plan.task].scoring.floor)
        self._transcript.start(task=plan.task, model=self._agent.name)
        try:
            record.end = self._play(record)
        except SessionError as error:
            self._log(one_line(f"server: {error}"))
        except ProviderError as error:
            self._log(one_line(f"model: {error}"))
            record.end = error.reason
            if error.reason is EndReason.INCOMPLETE:
                record.classes[ErrorClass.API_ERROR] += 1
        finally:
            self._transcript.end(
                success=record.success,
                steps=len(record.turns),
                score=record.score,
                rewards=[turn.reward for turn in record.turns],
            )
        return record

    def _play(self, record: Record) -> EndReason:
        if self._deadline.over:
            return EndReason.RUN_BUDGET
        now = self._session.reset(task=record.plan.task, seed=record.plan.seed)
        record.score = now.score
        if now.game_version != GAME_VERSION:
            self._log(f"the server plays version {plain(now.game_version)}, the prompt tells {GAME_VERSION}")
        while (end := self._ended(record, now)) is None:
            decision = self._agent.decide(self._seen(record, now))
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

    def _seen(self, record: Record, now: Snapshot) -> Seen:
        return Seen(
            circuit=now.circuit,
            scoring=TIERS[record.plan.task].scoring,
            initial_count=now.initial_count,
            steps=now.steps,
            turns_left=self._turns - len(record.turns),
            used_advanced_actions=now.used_advanced_actions,
            turns=tuple(record.turns),
        )

    def _step(self, record: Record, before: Snapshot, decision: Decision) -> Snapshot:
        """Play a decision, an unusable one as the move that is refused, and write it down."""
        now = self._session.step(decision.action or invalid_move(before.circuit))
        record.score = now.score
        record.turns.append(Turn(decision, now.result, now.reward))
        played = class_of(now.result) if decision.action else decision.error or ErrorClass.UNPARSEABLE
        record.classes[played] += 1
        error = None if played is ErrorClass.OK else now.result.value if decision.action else played.value
        self._transcript.step(
            len(record.turns),
            action=decision.action.text if decision.action else "none",
            reward=now.reward,
            done=now.done,
            error=error,
        )
        return now
