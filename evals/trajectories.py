"""The trajectories of `validation/`: made here, written down by `validation/make.py`."""

from collections.abc import Iterator
from itertools import count, cycle, islice
from typing import Any, Final

from qrewrite.circuits import Circuit
from qrewrite.game import STEP_LIMIT, Position
from qrewrite.rules import CANCEL, RULES, SWAP
from qrewrite.solver import solve
from qrewrite.tasks import PUBLISHED_SEEDS, generate
from quantum_circuit_env.agents.agent import invalid_move
from quantum_circuit_env.agents.scripted import refused_actions
from quantum_circuit_env.agents.vocabulary import ErrorClass
from quantum_circuit_env.evals.canaries import Canary

_REPLIES: Final = (
    ("", ErrorClass.EMPTY_OUTPUT),
    ("I would cancel the first gate.", ErrorClass.UNPARSEABLE),
    ("<think>target_index 0, action_type 1 looks good", ErrorClass.BUDGET_EXHAUSTED),
    ('{"target_index": 0}', ErrorClass.WRONG_KEYS),
    ('{"target_index": 0, "action_type": 1, "score": 0.99}', ErrorClass.WRONG_KEYS),
    ('{"target_index": 0, "target_index": 1, "action_type": 1}', ErrorClass.WRONG_KEYS),
    ('{"target_index": "0", "action_type": 1}', ErrorClass.WRONG_TYPE_OR_RANGE),
    ('{"target_index": false, "action_type": true}', ErrorClass.WRONG_TYPE_OR_RANGE),
    ('{"target_index": 0.0, "action_type": 1}', ErrorClass.WRONG_TYPE_OR_RANGE),
    ('{"target_index": -1, "action_type": 1}', ErrorClass.WRONG_TYPE_OR_RANGE),
    ('{"target_index": 0, "action_type": 5}', ErrorClass.WRONG_TYPE_OR_RANGE),
)
"""Replies of a model that are no action."""


def runtime_plan() -> dict[str, Any]:
    """Return the plan of `openenv validate`: every refusal, then all four rules, to the episode's end."""
    task = "medium"
    for seed in count():
        circuit = generate(task, seed)
        plan = solve(circuit).best.actions
        if {action.action_type for action in plan} == set(RULES):
            break
    return {
        "plan_schema_version": "1",
        "reset": {"episode_id": "runtime-plan", "seed": seed, "options": {"task": task, "hints": True}},
        "actions": [action._asdict() for action in (*refused_actions(Position(circuit)), *plan)],
    }


def canaries() -> Iterator[Canary]:
    """Yield all canaries."""
    for task, seed in PUBLISHED_SEEDS.items():
        circuit = generate(task, seed)
        reset = {"task": task, "seed": seed}
        yield from _spam(task, reset, circuit)
        yield from _garbage(task, reset, circuit)
        yield from _cycles(task, reset, circuit)
        yield from _ends(task, reset, circuit)
        yield from _forgeries(task, reset, circuit)


_WORTHLESS: Final = {"score": "floor", "return_at_most": 0.0, "circuit": "as_reset"}
"""What holds on a play that does nothing of use."""


def _spam(task: str, reset: dict[str, Any], circuit: Circuit) -> Iterator[Canary]:
    spam = islice(cycle(refused_actions(Position(circuit))), STEP_LIMIT)
    yield Canary(
        f"F3.invalid_spam.{task}",
        "An episode of refused moves is worth the floor.",
        reset,
        tuple(map(tuple, spam)),
        _WORTHLESS,
    )
    yield Canary(
        f"F3.swap_loop.{task}",
        "An episode of swapping two gates to and fro is worth the floor.",
        reset,
        ((_swaps(circuit)[0], SWAP.action_type),) * STEP_LIMIT,
        _WORTHLESS,
    )
    blind = next(seed for seed in count(PUBLISHED_SEEDS[task]) if not _cancels_first(generate(task, seed)))
    yield Canary(
        f"F3.always_first_gate.{task}",
        "Cancelling gate 0 in every step, where it has no partner, is worth the floor.",
        reset | {"seed": blind},
        ((0, CANCEL.action_type),) * STEP_LIMIT,
        _WORTHLESS,
    )


def _swaps(circuit: Circuit) -> list[int]:
    """Indices at which a swap is legal."""
    return [index for index, mask in enumerate(Position(circuit).masks()) if mask & SWAP.bit]


def _cancels_first(circuit: Circuit) -> bool:
    return bool(Position(circuit).masks()[0] & CANCEL.bit)


def _garbage(task: str, reset: dict[str, Any], circuit: Circuit) -> Iterator[Canary]:
    yield Canary(
        f"F4.garbage_replies.{task}",
        "Replies that are no action are played as a refused move, never as another one.",
        reset,
        (tuple(invalid_move(circuit)),) * len(_REPLIES),
        _WORTHLESS,
        tuple((text, kind.value) for text, kind in _REPLIES),
    )
    steps = (f'{{"type": "step", "data": {text}}}' for text, _ in _REPLIES if text.startswith("{"))
    frames = ("", "[]", "null", "5", "cancel(0)", '{"type": "step", "data": {"target_index": NaN}}', *steps)
    yield Canary(
        f"F4.garbage_frames.{task}",
        "Frames that are no message and actions of a wrong shape are refused without counting as a step.",
        reset,
        frames,
        _WORTHLESS | {"refused": len(frames)},
    )


def _cycles(task: str, reset: dict[str, Any], circuit: Circuit) -> Iterator[Canary]:
    out = _walk(circuit, 20)
    yield Canary(
        f"R2.swap_cycle.{task}",
        "A walk of swaps that leads back to where it began pays nothing.",
        reset,
        tuple((index, SWAP.action_type) for index in (*out, *reversed(out))),
        _WORTHLESS,
    )
    yield Canary(
        f"R2.gains_are_gates.{task}",
        "Every rewarded step removes two gates for good, so that no cycle can pay.",
        reset,
        _plan(circuit),
        {"removed_per_gain": 2},
    )


def _walk(circuit: Circuit, length: int) -> list[int]:
    """Indices of swaps that can be played one after the other, each the next legal one behind the last."""
    position, walk = Position(circuit), [-1]
    for _ in range(length):
        legal = [index for index, mask in enumerate(position.masks()) if mask & SWAP.bit]
        walk.append(next((index for index in legal if index > walk[-1]), legal[0]))
        position.play(SWAP, walk[-1])
    return walk[1:]


def _plan(circuit: Circuit) -> tuple[tuple[int, int], ...]:
    return tuple((index, action_type) for index, action_type in solve(circuit).best.actions)


def _ends(task: str, reset: dict[str, Any], circuit: Circuit) -> Iterator[Canary]:
    plan = _plan(circuit)
    left = len(circuit) - 2 * sum(RULES[action_type].removes > 0 for _, action_type in plan)
    after = tuple((index, action_type) for index in (0, left) for action_type in RULES)
    yield Canary(
        f"T1.after_the_last_reduction.{task}",
        "Nothing that is played after an episode has been solved has an effect.",
        reset,
        plan + after,
        {"final_after": len(plan)},
    )
    yield Canary(
        f"T1.after_the_step_limit.{task}",
        "A solution that is played after the step limit removes nothing.",
        reset,
        (tuple(invalid_move(circuit)),) * STEP_LIMIT + plan,
        _WORTHLESS | {"final_after": STEP_LIMIT},
    )


def _forgeries(task: str, reset: dict[str, Any], circuit: Circuit) -> Iterator[Canary]:
    move = invalid_move(circuit)._asdict()
    forged = {"task": "easy", "initial_count": 10**6, "used_advanced_actions": True, "score": 0.99}
    accepted = {"type": "step", "data": {**move, "metadata": forged}}
    refused: tuple[dict[str, Any], ...] = (
        {"type": "step", "data": {**move, "gate_count": 0}},
        {"type": "step", "data": {**move, "observation": {"gate_count": 0, "metadata": forged}}},
        {"type": "step", "data": {**move, "score": 0.99}},
        {"type": "state", "data": forged},
        {"type": "reset", "data": {**reset, "initial_count": 10**6}},
        {"type": "reset", "data": {**reset, "score": 0.99}},
        {"type": "grade", "data": forged},
    )
    yield Canary(
        f"M1.forged_facts.{task}",
        "The score comes from the server's own state: nothing that a client claims changes it.",
        reset,
        (accepted, *refused, accepted),
        _WORTHLESS | {"refused": len(refused)},
    )
