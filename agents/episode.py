"""Episodes of an agent over a session, written down as they happen."""

from collections.abc import Callable

from qrewrite.tasks import GAME_VERSION
from quantum_circuit_env.agents.agent import Agent, Turn
from quantum_circuit_env.agents.clock import Deadline
from quantum_circuit_env.agents.loop import Game, Loop, Plan, Record
from quantum_circuit_env.agents.session import Snapshot
from quantum_circuit_env.agents.transcript import Transcript, plain
from quantum_circuit_env.agents.vocabulary import ErrorClass


class Runner:
    """Plays planned episodes with one agent and writes their transcript."""

    def __init__(
        self,
        game: Game,
        agent: Agent,
        transcript: Transcript,
        deadline: Deadline,
        *,
        turns: int,
        log: Callable[[str], None],
    ) -> None:
        self._agent = agent
        self._transcript = transcript
        self._log = log
        self._number = 0
        self._loop = Loop(game, agent, deadline, turns=turns, on_reset=self._began, on_turn=self._write)

    def play(self, plan: Plan) -> Record:
        """Play one episode; whatever happens, its end is written."""
        record = Record(plan)
        self._number = 0
        self._transcript.start(task=plan.task, model=self._agent.name)
        try:
            self._loop.play(record)
            if record.fault is not None:
                self._log(record.fault)
        finally:
            self._transcript.end(
                success=record.success,
                steps=len(record.turns),
                score=record.score,
                rewards=[turn.reward for turn in record.turns],
            )
        return record

    def _began(self, now: Snapshot) -> None:
        if now.game_version != GAME_VERSION:
            self._log(f"the server plays version {plain(now.game_version)}, the prompt tells {GAME_VERSION}")

    def _write(self, turn: Turn, now: Snapshot) -> None:
        action, kind = turn.decision.action, turn.kind
        error = None if kind is ErrorClass.OK else now.result.value if action else kind.value
        self._number += 1
        self._transcript.step(
            self._number,
            action=action.text if action else "none",
            reward=now.reward,
            done=now.done,
            error=error,
        )
