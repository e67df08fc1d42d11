"""Playing one unit: the episode that `evaluate` stores, in process or over a server's session."""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache
from math import fsum
from random import Random
from typing import Final, TypedDict

from qrewrite.circuits import Circuit
from qrewrite.game import STEP_LIMIT, Action, Episode
from qrewrite.rules import ActionResult
from qrewrite.tasks import GAME_VERSION, TIERS, generate
from quantum_circuit_env.agents.agent import Agent, Turn
from quantum_circuit_env.agents.clock import Deadline
from quantum_circuit_env.agents.llm import LlmAgent
from quantum_circuit_env.agents.loop import SUCCESS_SCORE, Game, Loop, Plan, Record
from quantum_circuit_env.agents.replies import Usage
from quantum_circuit_env.agents.session import SessionError, Snapshot
from quantum_circuit_env.agents.transcript import ENVIRONMENT
from quantum_circuit_env.agents.vocabulary import EndReason, ErrorClass
from quantum_circuit_env.evals import records
from quantum_circuit_env.evals.optima import Optimum, best_known
from quantum_circuit_env.evals.records import Played, digest_of, digest_of_actions
from quantum_circuit_env.evals.stats.scores import normalised_score, success
from quantum_circuit_env.evals.units import Unit
from quantum_circuit_env.server.graders import score

SUITE: Final = f"{ENVIRONMENT}/{GAME_VERSION}"
"""What the tasks of these records belong to."""

BROKEN_OFF: Final = frozenset({EndReason.INCOMPLETE, EndReason.RUN_BUDGET})
"""Ends that say nothing about the agent."""


def play_unit(
    unit: Unit,
    agent_factory: Callable[[Random], Agent],
    session: Game,
    turns: int = STEP_LIMIT,
    *,
    run_id: str = "",
    split: str | None = None,
    deadline: Deadline | None = None,
) -> records.Episode:
    """Play the unit with an agent of its own and return its record; faults make it incomplete.

    Args:
        unit: what to play.
        agent_factory: makes the agent from the unit's source of randomness (`agents.registry.agent_factory`).
        session: where to play: a `LocalSession`, or an `agents.session.Session` of a server.
        turns: turns that the agent gets at most.
        run_id, split: noted in the record.
        deadline: when the episode is broken off; never if None.

    Raises:
        TaskError: if there is no such task.
    """
    started = datetime.now(UTC)
    circuit = instance(unit.tier, unit.seed)
    agent = agent_factory(unit.rng())
    record = Record(Plan(unit.tier, unit.seed))
    Loop(
        session,
        agent,
        deadline or Deadline(float("inf")),
        turns=turns,
        on_reset=lambda now: _check_served(now, circuit),
        on_turn=lambda _turn, now: _check_smaller(now, circuit),
    ).play(record)
    usage = agent.usage if isinstance(agent, LlmAgent) else Usage()
    return records.Episode(
        run_id=run_id,
        evaluator_revision=unit.revision,
        suite=SUITE,
        tier=unit.tier,
        seed=unit.seed,
        split=split,
        instance_digest=digest_of(circuit),
        sample=unit.sample,
        agent_id=unit.agent,
        **_outcome(record, circuit, best_known(unit.tier, unit.seed)),
        **_play(record),
        tokens_in=usage.tokens_in,
        tokens_out=usage.tokens_out,
        latency_s=round(record.thinking, 6),
        retries=usage.retries,
        started_at=started.isoformat(timespec="milliseconds"),
        error=record.fault,
    )


@lru_cache(maxsize=1024)
def instance(tier: str, seed: int) -> Circuit:
    """Return the circuit of a task; agents that play it one after the other share it."""
    return generate(tier, seed)


def _check_served(now: Snapshot, circuit: Circuit) -> None:
    """Raise a SessionError when the server plays another game than the records are made for."""
    if now.game_version != GAME_VERSION:
        raise SessionError(f"it plays game version {now.game_version}; records are of {GAME_VERSION}")
    if now.circuit != circuit:
        raise SessionError(f"its circuit is not the one of the task in game version {GAME_VERSION}")


def _check_smaller(now: Snapshot, circuit: Circuit) -> None:
    """Raise a SessionError when a circuit has grown, which no action makes it do."""
    if len(now.circuit) > len(circuit):
        raise SessionError(f"its circuit has grown from {len(circuit)} to {len(now.circuit)} gates")


class _Outcome(TypedDict):
    status: records.Status
    end_reason: EndReason
    score: float | None
    norm_score: float | None
    compression: float | None
    score_without_bonus: float | None
    bonus: bool
    legacy_success: bool | None
    success_t1: bool | None
    success_t50: bool | None
    g0: int
    g: int
    g_best: int
    g_best_method: str
    g_best_proved: bool
    final_digest: str


def _outcome(record: Record, circuit: Circuit, best: Optimum) -> _Outcome:
    """Return what came out; no result for an episode that was broken off."""
    final = record.last.circuit if record.last else circuit
    complete = record.end not in BROKEN_OFF
    scoring = TIERS[record.plan.task].scoring
    start, left = len(circuit), len(final)
    norm = normalised_score(start, left, best.left) if complete else None
    return {
        "status": "complete" if complete else "incomplete",
        "end_reason": record.end,
        "score": record.score if complete else None,
        "norm_score": norm,
        "compression": (start - left) / start if complete else None,
        "score_without_bonus": score(scoring, start, left, False) if complete else None,
        "bonus": bool(scoring.bonus and record.last and record.last.used_advanced_actions),
        "legacy_success": record.score >= SUCCESS_SCORE if complete else None,
        "success_t1": success(norm),
        "success_t50": success(norm, threshold=0.5),
        "g0": start,
        "g": left,
        "g_best": best.left,
        "g_best_method": best.method,
        "g_best_proved": best.proved,
        "final_digest": digest_of(final),
    }


class _Play(TypedDict):
    episode_return: float
    steps: int
    turns: int
    classes: dict[ErrorClass, int]
    replies: int
    valid_outputs: int
    legal_actions: int
    strict_outputs: int
    actions: tuple[Played, ...]
    rewards: tuple[float, ...]
    action_digest: str


def _play(record: Record) -> _Play:
    """Return what was played."""
    turns = record.turns
    return {
        # Rewards have two decimals; the sum of their binary neighbours has more.
        "episode_return": round(fsum(turn.reward for turn in turns), 2),
        "steps": record.last.steps if record.last else 0,
        "turns": len(turns),
        "classes": {kind: record.classes[kind] for kind in ErrorClass if record.classes[kind]},
        "replies": len(turns),
        "valid_outputs": sum(turn.decision.action is not None for turn in turns),
        "legal_actions": record.classes[ErrorClass.OK],
        "strict_outputs": sum(turn.decision.strict for turn in turns),
        "actions": tuple(map(_played, turns)),
        "rewards": tuple(turn.reward for turn in turns),
        "action_digest": digest_of_actions(turn.played for turn in turns),
    }


def _played(turn: Turn) -> Played:
    return Played(turn.played.target_index, turn.played.action_type, turn.kind)


class LocalSession:
    """A session without a server, which says what a session with one says."""

    def __init__(self) -> None:
        self._task = ""
        self._episode: Episode | None = None

    def reset(self, *, task: str, seed: int) -> Snapshot:
        """Begin the episode of (task, seed).

        Raises:
            TaskError: if there is no such task.
        """
        self._task = task
        self._episode = Episode(instance(task, seed), par=TIERS[task].par)
        return self._snapshot(self._episode)

    def step(self, action: Action) -> Snapshot:
        """Play one action, or raise a SessionError when no episode runs."""
        if self._episode is None or self._episode.done:
            raise SessionError(f"step: {ActionResult.EPISODE_OVER.value}: no episode runs")
        self._episode.play(action.action_type, action.target_index)
        return self._snapshot(self._episode)

    def close(self) -> None:
        """Forget the episode."""
        self._episode = None

    def _snapshot(self, episode: Episode) -> Snapshot:
        initial, left, advanced = episode.initial_count, episode.gate_count, episode.used_advanced_actions
        return Snapshot(
            circuit=episode.circuit(),
            reward=episode.reward,
            done=episode.done,
            initial_count=initial,
            steps=episode.steps,
            used_advanced_actions=advanced,
            result=episode.action_result,
            termination=episode.termination,
            score=score(TIERS[self._task].scoring, initial, left, advanced),
            game_version=GAME_VERSION,
        )
