"""What is stored of an episode: one line of `episodes.jsonl`, read back exactly or refused."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from functools import cache
from hashlib import sha256
from typing import Annotated, Any, ClassVar, Final, Literal, NamedTuple, TypeAlias

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from qrewrite.circuits import Circuit
from qrewrite.rules import RULES
from quantum_circuit_env.agents.vocabulary import EndReason, ErrorClass
from quantum_circuit_env.evals.consistency import contradiction

SCHEMA: Final = 1
"""Version of the line; raised when a field is added, dropped or read in another way."""

Status: TypeAlias = Literal["complete", "incomplete"]
Count: TypeAlias = Annotated[int, Field(ge=0)]
Digest: TypeAlias = Annotated[str, Field(pattern="^[0-9a-f]{16}$")]


class RecordError(ValueError):
    """Raised for a line that is no record; says what is wrong with it."""


class Played(NamedTuple):
    """One turn: the action as it was played, which for an unusable reply is the deliberate invalid move."""

    target_index: Count
    action_type: Annotated[int, Field(ge=min(RULES), le=max(RULES))]
    turn_class: ErrorClass


class EpisodeKey(NamedTuple):
    """Which episode of an evaluation a record is of."""

    agent_id: str
    tier: str
    seed: int
    sample: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """One episode. What is a result is null while the episode is incomplete: a fault is never a score.

    Attributes:
        run_id: the run in which it was played.
        evaluator_revision: what it was played and graded by.
        suite: environment and game version, e.g. `quantum_circuit_env/1.0.0`.
        split: the split that the seed belongs to, or null.
        instance_digest: of the circuit at the start, as `digest_of` makes it.
        agent_id: canonical text of the agent's spec.
        status: `incomplete` when a service, the server or the user broke it off.
        score: the server's grade.
        norm_score: share of the removable gates that was removed, (g0 - g) / (g0 - g_best); null if g0 is
            g_best. Above 1 it tells that g_best is not the best.
        compression: (g0 - g) / g0.
        score_without_bonus: the grade had the tier no bonus.
        bonus: whether the tier has a bonus and the episode earned it.
        legacy_success: whether the score is at least 0.10.
        success_t1, success_t50: whether norm_score is at least 1 and 0.5; null where it is.
        episode_return: sum of the rewards; `return` in JSON.
        g0, g: gates at the start and at the end.
        g_best, g_best_method, g_best_proved: fewest gates known to be reachable, how they were found, and
            whether fewer are proved to be impossible.
        steps: steps that the server counted.
        turns: turns that the agent had, one step each.
        classes: how often a turn was of which class; an `api_error` is no turn.
        replies: answers of the agent that were received.
        valid_outputs: replies that were an action, legal or not.
        legal_actions: replies that were a legal action.
        strict_outputs: replies that were an action and nothing else.
        actions, rewards: of each turn.
        action_digest: of the actions, as `digest_of_actions` makes it.
        final_digest: of the circuit at the end.
        tokens_in, tokens_out: what the model's service counted; null for other agents.
        latency_s: seconds that the agent took to decide, all turns together.
        retries: requests that were repeated.
        started_at: UTC, ISO 8601.
        error: what broke the episode off, in one line.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)

    schema: Literal[1] = SCHEMA
    run_id: str
    evaluator_revision: str
    suite: str
    tier: str
    seed: Count
    split: str | None
    instance_digest: Digest
    sample: Count
    agent_id: str
    status: Status
    end_reason: EndReason
    score: Annotated[float, Field(ge=0, le=1)] | None
    norm_score: float | None
    compression: float | None
    score_without_bonus: Annotated[float, Field(ge=0, le=1)] | None
    bonus: bool
    legacy_success: bool | None
    success_t1: bool | None
    success_t50: bool | None
    episode_return: Annotated[float, Field(alias="return")]
    g0: Count
    g: Count
    g_best: Count
    g_best_method: str
    g_best_proved: bool
    steps: Count
    turns: Count
    classes: dict[ErrorClass, Annotated[int, Field(ge=1)]]
    replies: Count
    valid_outputs: Count
    legal_actions: Count
    strict_outputs: Count
    actions: tuple[Played, ...]
    rewards: tuple[float, ...]
    action_digest: Digest
    final_digest: Digest
    tokens_in: Count | None
    tokens_out: Count | None
    latency_s: float
    retries: Count
    started_at: str
    error: str | None

    def __post_init__(self) -> None:
        if (self.status == "incomplete") != (self.score is None):
            raise RecordError("an episode has a score if and only if it is complete")
        if not self.turns == len(self.actions) == len(self.rewards):
            raise RecordError(
                f"{self.turns} turns, {len(self.actions)} actions and {len(self.rewards)} rewards"
            )
        if self.action_digest != digest_of_actions(played[:2] for played in self.actions):
            raise RecordError("the digest of its actions is that of other actions")

    @property
    def key(self) -> EpisodeKey:
        """Which episode of an evaluation this is."""
        return EpisodeKey(self.agent_id, self.tier, self.seed, self.sample)

    @property
    def complete(self) -> bool:
        """Whether the episode says something about the agent."""
        return self.status == "complete"

    def broken_off(self, error: str) -> "Episode":
        """Return it as an incomplete episode, without results."""
        return replace(
            self,
            status="incomplete",
            end_reason=EndReason.INCOMPLETE,
            score=None,
            norm_score=None,
            compression=None,
            score_without_bonus=None,
            legacy_success=None,
            success_t1=None,
            success_t50=None,
            error=error,
        )

    def to_json(self) -> str:
        """Return the record as one line of JSON, without the line's end."""
        values = {json_name(name): getattr(self, name) for name in _FIELDS}
        return json.dumps(values, separators=(",", ":"), allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> "Episode":
        """Read what `to_json` has written.

        Raises:
            RecordError: no JSON, or missing, unknown or repeated keys, or values of a wrong type, or values
                that contradict each other.
        """
        try:
            # The adapter would fill in the default, and it takes the last of repeated keys.
            if "schema" not in dict(json.loads(text, object_pairs_hook=_unrepeated)):
                raise RecordError("schema: Field required")
            read = _adapter().validate_json(text)
        except RecordError:
            raise
        except ValidationError as error:
            raise RecordError("; ".join(_told(each) for each in error.errors()[:3])) from None
        except (ValueError, TypeError, RecursionError) as error:
            raise RecordError(f"no record: {error}") from None
        wrong = contradiction(read)
        if wrong is not None:
            raise RecordError(wrong)
        return read


_FIELDS: Final = tuple(each.name for each in fields(Episode))
_NAMES: Final = {"episode_return": "return"}
"""Fields whose JSON key is a keyword of Python."""


def json_name(field: str) -> str:
    """Return the key that a field has in JSON."""
    return _NAMES.get(field, field)


@cache
def _adapter() -> TypeAdapter[Episode]:
    return TypeAdapter(Episode)


def _told(error: Any) -> str:
    return f"{'.'.join(map(str, error['loc']))}: {error['msg']}"


def _unrepeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        raise RecordError("a key is repeated")
    return values


def digest_of(circuit: Circuit) -> str:
    """Return the digest of a circuit: its number of qubits, then a gate a line."""
    return _digest(f"{circuit.num_qubits}\n{circuit}")


def digest_of_actions(actions: Iterable[tuple[int, int]]) -> str:
    """Return the digest of actions, each (index, action type)."""
    return _digest("\n".join(f"{index} {action_type}" for index, action_type in actions))


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:16]
