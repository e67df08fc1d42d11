"""What `reset` may be asked for, checked the same in process, over HTTP and over the WebSocket."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from qrewrite.circuits import Circuit, CircuitError, TaskError
from qrewrite.circuits.errors import shown
from qrewrite.tasks import MAX_SEED, RANDOM, SPLITS, TIERS, Tier, check_seed, generate, split_named, tier_of
from quantum_circuit_env.server.limits import DEFAULT, Limits

MAX_EPISODE_ID: Final = 255
"""Largest number of characters of an episode id."""


class ArgumentError(ValueError):
    """Raised for a reset argument that is not allowed; says what was wrong and what is allowed."""

    def __init__(self, argument: str, message: str) -> None:
        super().__init__(message if len(message) <= 400 else f"{message[:400]}…")
        self.argument = argument


@dataclass(frozen=True, slots=True)
class Start:
    """A checked reset: what to play, and how.

    Attributes:
        tier: how the episode is graded, and what is generated.
        seed: decides the circuit together with the tier; None with a caller's own circuit.
        own: the caller's own circuit, or None.
        hints: whether observations tell what is legal.
        plans: whether an action may carry further ones.
        episode_id: the caller's id, or None to draw one.
    """

    tier: Tier
    seed: int | None
    own: Circuit | None
    hints: bool
    plans: bool
    episode_id: str | None

    @property
    def par(self) -> int | None:
        """Published bound on the gates that must remain; unknown on a caller's own circuit."""
        return self.tier.par if self.own is None else None

    def circuit(self) -> Circuit:
        """Return the circuit to start on."""
        if self.own is not None:
            return self.own
        if self.seed is None:
            raise ValueError("a start without a circuit of its own needs a seed")
        return generate(self.tier.name, self.seed)


def allowed(limits: Limits = DEFAULT) -> dict[str, str]:
    """Return argument → what it may be."""
    gates, qubits = limits.circuit_gates, limits.circuit_qubits
    return {
        "seed": f"an integer in 0..{MAX_SEED}, or null to draw one",
        "episode_id": f"a string of at most {MAX_EPISODE_ID} characters, or null to draw one",
        "task": f"one of {', '.join(TIERS)} and {RANDOM}",
        "hints": "true or false",
        "plans": "true or false",
        "circuit": f"a list of at most {gates} gates, each with name and target_qubits, or null",
        "num_qubits": f"an integer in 1..{qubits}, given together with circuit",
        "split": f"one of {', '.join(SPLITS)}, given together with index",
        "index": "an integer from 0, below the split's number of tasks, given together with split",
    }


ALLOWED: Final = allowed()
"""Argument → what it may be where nobody has set limits."""


def check_reset(
    arguments: Mapping[str, Any], *, default_task: str = RANDOM, limits: Limits = DEFAULT
) -> Start:
    """Return what a reset with these arguments starts, or raise an ArgumentError.

    Args:
        arguments: the arguments that the caller gave, by name.
        default_task: the task of a reset that names neither task nor circuit.
        limits: how large a circuit may be.
    """
    for name in arguments:
        if name not in ALLOWED:
            raise ArgumentError(
                name, f"reset has no argument {shown(name)}; its arguments are {', '.join(ALLOWED)}"
            )
    episode_id = arguments.get("episode_id")
    if episode_id is not None and not (isinstance(episode_id, str) and len(episode_id) <= MAX_EPISODE_ID):
        raise _wrong("episode_id", episode_id)
    hints, plans = _switch(arguments, "hints"), _switch(arguments, "plans")
    tier, seed, own = _played(arguments, default_task, limits)
    return Start(tier, seed, own, hints, plans, episode_id)


def _switch(arguments: Mapping[str, Any], name: str) -> bool:
    value = arguments.get(name, False)
    if not isinstance(value, bool):
        raise _wrong(name, value)
    return value


def _played(
    arguments: Mapping[str, Any], default_task: str, limits: Limits
) -> tuple[Tier, int | None, Circuit | None]:
    """Return what is played: a tier with a seed or with the caller's own circuit."""
    task, seed, circuit, num_qubits = map(arguments.get, ("task", "seed", "circuit", "num_qubits"))
    split, index = arguments.get("split"), arguments.get("index")
    if split is not None or index is not None:
        for name in ("task", "seed", "circuit", "num_qubits"):
            if arguments.get(name) is not None:
                raise ArgumentError(name, f"{name} and split with index exclude each other: give only one")
        return *_listed(split, index), None
    if circuit is None:
        if num_qubits is not None:
            told = f"num_qubits must come with circuit, {allowed(limits)['circuit']}"
            raise ArgumentError("num_qubits", told)
        return *_generated(default_task, task, seed), None
    if seed is not None:
        raise ArgumentError("seed", "seed and circuit exclude each other: give only one of them")
    tier, own = _own(task, circuit, num_qubits, limits)
    return tier, None, own


def _listed(split: Any, index: Any) -> tuple[Tier, int]:
    if split is None or index is None:
        name = "split" if split is None else "index"
        raise _wrong(name, None)
    try:
        found = split_named(split)
    except TaskError as error:
        raise ArgumentError("split", str(error)) from None
    try:
        task, seed = found.task_at(index)
    except TaskError as error:
        raise ArgumentError("index", str(error)) from None
    return TIERS[task], seed


def _generated(default: str, task: Any, seed: Any) -> tuple[Tier, int]:
    try:
        seed = secrets.randbelow(MAX_SEED + 1) if seed is None else check_seed(seed)
    except TaskError as error:
        raise ArgumentError("seed", str(error)) from None
    return _tier(default if task is None else task, seed), seed


def _own(task: Any, circuit: Any, num_qubits: Any, limits: Limits) -> tuple[Tier, Circuit]:
    if task == RANDOM:
        raise ArgumentError("task", f"an own circuit is graded as one of {', '.join(TIERS)}, not {RANDOM}")
    tier = _tier(next(iter(TIERS)) if task is None else task, 0)
    if not isinstance(circuit, list | tuple):
        raise _wrong("circuit", circuit, limits)
    if len(circuit) > limits.circuit_gates:
        most = limits.circuit_gates
        raise ArgumentError("circuit", f"a circuit has at most {most} gates, got {len(circuit)}")
    if type(num_qubits) is not int or not 1 <= num_qubits <= limits.circuit_qubits:
        raise _wrong("num_qubits", num_qubits, limits)
    try:
        return tier, Circuit.from_records(circuit, num_qubits=num_qubits)
    except CircuitError as error:
        raise ArgumentError("circuit", f"circuit: {error}") from None


def _tier(task: Any, seed: int) -> Tier:
    try:
        return tier_of(task, seed)
    except TaskError as error:
        raise ArgumentError("task", str(error)) from None


def _wrong(argument: str, value: object, limits: Limits = DEFAULT) -> ArgumentError:
    return ArgumentError(argument, f"{argument} must be {allowed(limits)[argument]}, got {shown(value)}")
