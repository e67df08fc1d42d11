"""What an evaluation is asked to be: agents, tasks, turns, and how they are played."""

import re
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

from qrewrite.circuits.errors import shown
from qrewrite.game import STEP_LIMIT
from qrewrite.tasks import TIERS, check_seed, split_named
from quantum_circuit_env.agents.registry import LLM
from quantum_circuit_env.agents.spec import AgentSpec

ExecutorName: TypeAlias = Literal["process", "async", "ray"]
EXECUTORS: Final[tuple[ExecutorName, ...]] = get_args(ExecutorName)
"""`process`: worker processes, in process. `async`: sessions in threads, over a server or in process. `ray`:
worker processes of a local Ray node, in process.
"""

_COMPUTING: Final = ("process", "ray")
_RANGE: Final = re.compile(r"([0-9]{1,10})(?:-([0-9]{1,10}))?")
_MOST_SEEDS: Final = 100_000
_MOST_A_MINUTE: Final = 1_000_000


class EvaluateError(ValueError):
    """Raised for an evaluation that cannot be made as it is asked for; says what is allowed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """What to evaluate, and how it is played; EvaluateError or TaskError for what cannot be.

    Attributes:
        agents: who plays, each once.
        tiers: on which tiers.
        seeds: on which seeds of each.
        split: the split that the seeds are of; None for seeds of no split.
        samples: episodes of an agent on a task.
        turns: turns of an episode at most.
        url: address of the server; None to play in process.
        executor: who plays; None for what suits the agents and the server.
        workers: processes, or sessions at a time.
        rate: requests to the models' service a minute at most, all agents together; None for no bound.
        raw_replies: whether the models' replies are kept as they come.
        overall: whether a mean over the tiers is declared, without which `compare` gives none.
    """

    agents: tuple[AgentSpec, ...]
    tiers: tuple[str, ...] = tuple(TIERS)
    seeds: tuple[int, ...]
    split: str | None = None
    samples: int = 1
    turns: int = STEP_LIMIT
    url: str | None = None
    executor: ExecutorName | None = None
    workers: int = 2
    rate: float | None = None
    raw_replies: bool = False
    overall: bool = False

    def __post_init__(self) -> None:
        unknown = [tier for tier in self.tiers if tier not in TIERS]
        if unknown:
            raise EvaluateError(f"unknown tier {shown(unknown[0])}; the tiers are {', '.join(TIERS)}")
        for seed in self.seeds:
            check_seed(seed)
        if not 1 <= self.turns <= STEP_LIMIT:
            raise EvaluateError(f"turns must be in 1..{STEP_LIMIT}, got {self.turns}")
        if self.overall and len(self.tiers) < 2:
            raise EvaluateError("a mean over tiers needs two tiers or more")
        if self.samples < 1 or self.workers < 1:
            raise EvaluateError("samples and workers must be at least 1")
        if self.rate is not None and not 0 < self.rate <= _MOST_A_MINUTE:
            raise EvaluateError(
                f"the rate must be above 0 and at most {_MOST_A_MINUTE} a minute, got {self.rate}"
            )
        if not self.models and (self.rate is not None or self.raw_replies):
            raise EvaluateError(
                f"a rate and raw replies are for agents that ask a model: {LLM} is not among them"
            )
        if self.executor in _COMPUTING and self.url is not None:
            raise EvaluateError(f"executor {self.executor} plays in process: take async for a server")
        if self.executor in _COMPUTING and self.models:
            raise EvaluateError(f"executor {self.executor} is for agents that ask no model: take async")

    @property
    def models(self) -> tuple[AgentSpec, ...]:
        """Agents that ask a model's service."""
        return tuple(spec for spec in self.agents if spec.name == LLM)


def executor_named(name: str | None) -> ExecutorName | None:
    """Return the executor of that name, None for None, or raise an EvaluateError that names them all."""
    found = next((known for known in EXECUTORS if known == name), None)
    if name is not None and found is None:
        raise EvaluateError(f"unknown executor {shown(name)}; the executors are {', '.join(EXECUTORS)}")
    return found


def first_seeds(split: str, count: int) -> tuple[int, ...]:
    """Return the first seeds of a split, the same for each tier.

    Raises:
        SplitError: if there is no such split.
        EvaluateError: if it has not so many seeds.
    """
    seeds = split_named(split).seeds
    if not 1 <= count <= len(seeds):
        raise EvaluateError(f"split {split} has 1..{len(seeds)} seeds, got {count}")
    return tuple(seeds[:count])


def listed_seeds(text: str) -> tuple[int, ...]:
    """Return the seeds of a text such as `0-9,42`, or raise an EvaluateError."""
    seeds: list[int] = []
    for part in text.split(","):
        found = _RANGE.fullmatch(part)
        if found is None:
            raise EvaluateError(f"seeds must be numbers and ranges such as 0-9,42, got {shown(part)}")
        low, high = int(found[1]), int(found[2] or found[1])
        if high < low or len(seeds) + high - low >= _MOST_SEEDS:
            raise EvaluateError(f"a range must ascend, and there are at most {_MOST_SEEDS} seeds")
        seeds.extend(range(low, high + 1))
    return tuple(seeds)
