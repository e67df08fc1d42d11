"""Wire types: what an agent sends, what it gets back, and the public state of its session."""

from collections.abc import Iterable
from typing import Annotated, Any, Final, NotRequired, TypeAlias, TypeVar

from openenv.core.env_server.types import Action, Observation, State
from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictFloat, StrictInt, StrictStr, with_config
from typing_extensions import TypedDict

from qrewrite.circuits import GATES
from qrewrite.game import STEP_LIMIT, Scoring, Termination
from qrewrite.rules import RULES, ActionResult
from qrewrite.tasks import MAX_SEED, TIERS

_Model = TypeVar("_Model", bound=BaseModel)

_SCORING = Scoring()

Count: TypeAlias = Annotated[StrictInt, Field(ge=0)]
Reward: TypeAlias = Annotated[StrictFloat, Field(allow_inf_nan=False)]
Grade: TypeAlias = Annotated[StrictFloat, Field(ge=_SCORING.floor, le=_SCORING.ceiling)]
Seed: TypeAlias = Annotated[StrictInt, Field(ge=0, le=MAX_SEED)]
TaskName: TypeAlias = Annotated[StrictStr, Field(json_schema_extra={"enum": list(TIERS)})]

TargetIndex: TypeAlias = Annotated[
    StrictInt, Field(ge=0, description="index of the gate to act on, from 0, in the circuit's list")
]
ActionType: TypeAlias = Annotated[
    StrictInt,
    Field(
        ge=min(RULES),
        le=max(RULES),
        description="; ".join(f"{rule.action_type} {rule.name}" for rule in RULES.values()),
    ),
]
MAX_THEN: Final = STEP_LIMIT - 1
"""Largest number of actions that may follow the first one of a plan: an episode has no more steps."""


class FurtherAction(BaseModel):
    """A later action of a plan: one rewrite at one gate, in the circuit as the actions before it leave it."""

    model_config = ConfigDict(extra="forbid")

    target_index: TargetIndex
    action_type: ActionType


class QuantumCircuitAction(Action):
    """One rewrite at one gate; need not be legal.

    In an episode that was reset with `plans=True` it may carry `then`, further actions to play after it.
    Only field constraints are used: OpenEnv's socket does not survive a validator that raises.
    """

    target_index: TargetIndex
    action_type: ActionType
    then: tuple[FurtherAction, ...] = Field(
        default=(),
        max_length=MAX_THEN,
        description="actions to play after this one, up to the first that is invalid or ends the episode; "
        "only in an episode that was reset with plans",
    )

    @classmethod
    def plan(cls, actions: Iterable["QuantumCircuitAction"]) -> "QuantumCircuitAction":
        """Return the first of the actions with all others in its `then`.

        Args:
            actions: one action or more, none with a `then` of its own.

        Raises:
            ValueError: there is no action, there are too many, or one is a plan itself.
        """
        plain = [_without_plan(action) for action in actions]
        if not 1 <= len(plain) <= 1 + MAX_THEN:
            raise ValueError(f"a plan has 1 to {1 + MAX_THEN} actions, got {len(plain)}")
        return cls(**plain[0], then=tuple(FurtherAction(**each) for each in plain[1:]))


@with_config(ConfigDict(extra="forbid"))
class CircuitGate(TypedDict):
    """One gate as JSON: its name and its distinct qubits, control first."""

    name: Annotated[StrictStr, Field(json_schema_extra={"enum": list(GATES)})]
    target_qubits: tuple[Count, ...]


@with_config(ConfigDict(extra="forbid"))
class PlayedAction(TypedDict):
    """What became of one action of a plan, and the reward that it got."""

    action_result: ActionResult
    reward: Reward


@with_config(ConfigDict(extra="forbid"))
class ObservationMetadata(TypedDict):
    """What an observation says of the episode beside the circuit.

    Keys:
        task: name of the tier by which the episode is graded.
        initial_count: gates at the start.
        step: steps played, legal or not.
        seed: with `task` it reproduces the circuit; null on a caller's own circuit.
        used_advanced_actions: whether an action of type 3 or 4 has succeeded.
        action_result: what became of the last action.
        termination: why the episode is done, null while it runs.
        score: the grade so far, in [0.01, 0.99].
        par: bound on the gates that must remain; null on a caller's own circuit.
        game_version: version of circuits, rules, rewards and graders.
        legality: entry [i][t-1] says what action type t on gate i would be answered, `ok` or the refusal;
            null unless the episode was reset with hints.
        plan: result and reward of each action of the last step; only there if the episode was reset with
            plans.
    """

    task: TaskName
    initial_count: Count
    step: Count
    seed: Seed | None
    used_advanced_actions: StrictBool
    action_result: ActionResult
    termination: Termination | None
    score: Grade
    par: Count | None
    game_version: StrictStr
    legality: list[list[StrictStr]] | None
    plan: NotRequired[list[PlayedAction]]


class QuantumCircuitObservation(Observation):
    """The circuit as it stands after a reset or a step, with a prompt that says how to play on."""

    circuit: list[CircuitGate] = Field(description="the gates in order; the first acts first")
    gate_count: Count = Field(description="number of gates left")
    num_qubits: Annotated[StrictInt, Field(ge=1)] = Field(description="number of wires")
    done: StrictBool = Field(description="whether the episode has ended")
    reward: Reward = Field(description="reward of the last step, 0.0 after a reset")
    prompt: StrictStr = Field(description="all that an agent needs to know, as text")
    metadata: ObservationMetadata = Field(  # type: ignore[assignment]
        description="facts of the episode beside the circuit"
    )


class QuantumCircuitState(State):
    """Public progress of a session; all null and `step_count` 0 before its first reset."""

    model_config = ConfigDict(extra="forbid")

    episode_id: StrictStr | None = Field(description="the caller's id, or one drawn at reset")
    step_count: Count = Field(description="steps played in this episode, legal or not")
    task: TaskName | None
    seed: Seed | None
    gate_count: Count | None
    initial_count: Count | None
    used_advanced_actions: StrictBool | None
    score: Grade | None
    game_version: StrictStr | None

    @classmethod
    def before_reset(cls) -> "QuantumCircuitState":
        """Return the state of a session that has no episode yet."""
        return cls.model_validate(dict.fromkeys(cls.model_fields) | {"step_count": 0})


def of_valid(model: type[_Model], fields: dict[str, Any]) -> _Model:
    """Return an instance of `model` with all its fields, known to be right and in the order of the class.

    It does what `model_construct` does at a fraction of the cost, which falls on every step.
    """
    made = model.__new__(model)
    object.__setattr__(made, "__dict__", fields)
    object.__setattr__(made, "__pydantic_fields_set__", set(fields))
    object.__setattr__(made, "__pydantic_extra__", None)
    object.__setattr__(made, "__pydantic_private__", None)
    return made


def _without_plan(action: QuantumCircuitAction) -> dict[str, Any]:
    if action.then:
        raise ValueError("an action of a plan cannot have a plan of its own: give its actions one by one")
    return {"target_index": action.target_index, "action_type": action.action_type}
