"""An audit of an evaluator, and what it knows besides: seeds, solutions, and how a panel of agents plays."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from math import fsum
from typing import Final, NamedTuple

from qrewrite.circuits import Circuit
from qrewrite.game import STEP_LIMIT
from qrewrite.solver import Plan, Solution, solve
from qrewrite.tasks import SPLITS, TIERS, generate
from quantum_circuit_env.agents import registry
from quantum_circuit_env.agents.agent import Agent
from quantum_circuit_env.agents.clock import Deadline
from quantum_circuit_env.agents.loop import Loop, Record
from quantum_circuit_env.agents.loop import Plan as Planned
from quantum_circuit_env.agents.spec import AgentSpec
from quantum_circuit_env.evals.audit.evaluator import Evaluator
from quantum_circuit_env.evals.audit.play import Play, SessionGame, Shown
from quantum_circuit_env.evals.audit.probe import AuditError
from quantum_circuit_env.evals.optima import best_known
from quantum_circuit_env.evals.units import Unit
from quantum_circuit_env.server.graders import score

PANEL: Final = (
    "null",
    "swap-loop",
    "uniform",
    "random-legal",
    "cancel-first",
    "identity-first",
    "best-of:k=5",
)
"""Agents by which the game is judged; those for whom no luck is needed are asked without any."""

TURNS: Final = 15
"""Turns that `inference.py` gives an episode."""


class Played(NamedTuple):
    """What an agent's episode came to.

    Attributes:
        tier, seed: its task.
        score: the served grade.
        total: sum of the rewards.
        removed: share of the gates that can be removed which were.
        actions: what was played.
    """

    tier: str
    seed: int
    score: float
    total: float
    removed: float
    actions: tuple[tuple[int, int], ...]


class Audit:
    """One run of the audit on one evaluator; what several probes need is played once.

    Args:
        evaluator: who is audited.
        seeds: tasks of each tier that are played, the first of the test split.
    """

    def __init__(self, evaluator: Evaluator, *, seeds: int = 20) -> None:
        self.evaluator = evaluator
        self.seeds = SPLITS["test"].seeds[:seeds]
        self._played: dict[tuple[str, int, str], list[Played]] = {}

    @contextmanager
    def session(self) -> Iterator[Play]:
        """Open a session and close it."""
        session = self.evaluator.open()
        try:
            yield Play(session)
        finally:
            session.close()

    def tasks(self) -> Iterator[tuple[str, int]]:
        """Yield tier and seed of each task that is played."""
        for tier in TIERS:
            yield from ((tier, seed) for seed in self.seeds)

    def panel(self, agent: str, *, turns: int, tier: str) -> list[Played]:
        """Return how an agent plays the tasks of a tier, in the order of the seeds."""
        key = (agent, turns, tier)
        if key not in self._played:
            with self.session() as play:
                self._played[key] = [self.play(play, agent, tier, seed, turns) for seed in self.seeds]
        return self._played[key]

    def play(self, play: Play, agent: str, tier: str, seed: int, turns: int, sample: int = 0) -> Played:
        """Let an agent of the registry play a task."""
        unit = Unit("audit", agent, tier, seed, sample)
        made = registry.make(AgentSpec.parse(agent), self.evaluator.stream(unit))
        return summed(play_with(play, made, tier, seed, turns))


def play_with(play: Play, agent: Agent, tier: str, seed: int, turns: int = STEP_LIMIT) -> Record:
    """Let an agent play a task through the one loop of all agents; AuditError when it is broken off."""
    record = Record(Planned(tier, seed))
    Loop(
        SessionGame(play),
        agent,
        Deadline(float("inf")),
        turns=turns,
        on_reset=lambda _now: None,
        on_turn=lambda _turn, _now: None,
    ).play(record)
    if record.fault is not None:
        raise AuditError(f"{agent.name} on {tier}, seed {seed}: {record.fault}")
    return record


def summed(record: Record) -> Played:
    """Return what a record of an episode that was played comes to."""
    if record.first is None or record.last is None:
        raise AuditError("the episode has not begun")
    start, left = len(record.first.circuit), len(record.last.circuit)
    best = fewest(record.plan.task, record.plan.seed, record.first.circuit)
    removed = (start - left) / (start - best) if start > best else 0.0
    return Played(
        record.plan.task,
        record.plan.seed,
        record.score,
        round(fsum(turn.reward for turn in record.turns), 2),
        removed,
        tuple((turn.played.target_index, turn.played.action_type) for turn in record.turns),
    )


def fewest(tier: str, seed: int, circuit: Circuit) -> int:
    """Return the fewest gates that are known to remain of a circuit that is served as a task's."""
    if circuit == generate(tier, seed):
        return best_known(tier, seed).left
    return solved(circuit).left


@lru_cache(maxsize=4096)
def solved(circuit: Circuit) -> Solution:
    """Return the solver's answer: the audit's privilege."""
    return solve(circuit)


def solved_on(play: Play, tier: str, seed: int, plan: Plan | None = None) -> list[Shown]:
    """Reset and play a plan, the best graded one unless another is given; return what is shown after each."""
    shown = [play.reset(task=tier, seed=seed)]
    plan = plan or best_plan(tier, shown[0].circuit)[0]
    return [*shown, *(play.step(*action) for action in plan.actions)]


def best_plan(tier: str, circuit: Circuit) -> tuple[Plan, float]:
    """Return the plan of the circuit's front with the highest grade, and that grade."""

    def graded(plan: Plan) -> float:
        return score(TIERS[tier].scoring, len(circuit), plan.left, plan.identities > 0)

    best = max(solved(circuit).front, key=graded)
    return best, graded(best)
