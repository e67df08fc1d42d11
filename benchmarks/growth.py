"""How the cost of a step grows with the gates and with the qubits of a caller's own circuit.

    uv run python benchmarks/growth.py

CPU time of a step alone, by what the action is; of a step with the masks of legal actions brought up to date
and read; and of the observation, which shows every gate and so grows with them. Episodes are made
outside of the clock, one at a time; all circuits take turns with that of 70 gates on 6 qubits, so that what
else the machine does falls on both.
"""

from collections.abc import Callable, Iterable
from random import Random
from statistics import median
from time import process_time
from typing import Final, NamedTuple

from qrewrite.circuits import Circuit, Gate
from qrewrite.game import Action, Episode, Position
from qrewrite.game.scoring import Scoring
from qrewrite.game.view import circuit_records, prompt
from qrewrite.rules import CANCEL, CNOTS, HXH, SWAP

SIZES: Final = ((10, 6), (70, 6), (700, 6), (10_000, 6), (70, 2), (70, 64), (10_000, 64))
"""Gates and qubits of the circuits."""
BASE: Final = (70, 6)
ROUNDS: Final = 4
PLAYS: Final = 3
STEPS: Final = 150
"""Steps of each episode, all that it can have, or fewer if it has no more to reduce."""
KINDS: Final = ("refused", "swap", "reduction", "swap + masks", "observation")


def own_circuit(gates: int, qubits: int, rng: Random) -> Circuit:
    """Return random gates, among them many that cancel or collapse, in an order that swaps have mixed."""
    made: list[Gate] = []
    while len(made) < gates:
        gate, room = _gate(qubits, rng), gates - len(made)
        hxh = [Gate(name, gate.qubits[:1]) for name in "HXH"]
        drawn = rng.random()
        made += hxh if drawn < 0.1 and room > 2 else [gate, gate] if drawn < 0.5 and room > 1 else [gate]
    position = Position(Circuit.of(qubits, made))
    for _ in range(2 * gates):
        position.play(SWAP, int(rng.random() * gates))
    return position.wired.circuit()


def _gate(qubits: int, rng: Random) -> Gate:
    first = int(rng.random() * qubits)
    if rng.random() < 0.5:
        return Gate("HXYZ"[int(rng.random() * 4)], (first,))
    second = (first + 1 + int(rng.random() * (qubits - 1))) % qubits
    return Gate(("CNOT", "CZ", "SWAP")[int(rng.random() * 3)], (first, second))


def _places(masks: bytes, indices: Iterable[int], choose: Callable[[int], list[int]]) -> list[Action]:
    return [Action(index, kind) for index in indices for kind in choose(masks[index])]


class Play(NamedTuple):
    """Actions that are played and what is looked at after each."""

    actions: list[Action]
    kind: str


def plays(circuit: Circuit, rng: Random) -> list[Play]:
    """Return a play of each kind, whose actions are all of that kind."""
    wanted: dict[str, Callable[[int], list[int]]] = {
        "refused": lambda mask: [kind for kind in (1, 2, 3, 4) if not mask >> kind - 1 & 1],
        "swap": lambda mask: [2] if mask & SWAP.bit else [],
        "reduction": lambda mask: [rule.action_type for rule in (CANCEL, HXH, CNOTS) if mask & rule.bit],
    }
    found = {name: _drawn(Episode(circuit), choose, rng) for name, choose in wanted.items()}
    found["swap + masks"] = found["observation"] = found["swap"]
    return [Play(found[kind], kind) for kind in KINDS]


def _drawn(episode: Episode, choose: Callable[[int], list[int]], rng: Random) -> list[Action]:
    actions: list[Action] = []
    while not episode.done and len(actions) < STEPS:
        masks = episode.position.masks()
        # A hundred tries at random first, since listing all places takes long in a large circuit.
        tries = [int(rng.random() * len(masks)) for _ in range(100)]
        places = next(
            (found for indices in (tries, range(len(masks))) if (found := _places(masks, indices, choose))),
            [],
        )
        if not places:
            break
        actions.append(places[int(rng.random() * len(places))])
        episode.play(actions[-1].action_type, actions[-1].target_index)
    return actions


def pair(circuit: Circuit, mine: Play, base_circuit: Circuit, base: Play) -> tuple[float, float]:
    """Return what a step costs on a circuit and on the base, both episodes made beforehand."""
    episode, base_episode = Episode(circuit), Episode(base_circuit)
    for made in (episode, base_episode):
        made.position.masks()
    theirs = microseconds(base_episode, base)
    return microseconds(episode, mine), theirs


def microseconds(episode: Episode, play: Play) -> float:
    """Return the CPU time of a step, or of the observation after it."""
    scoring = Scoring()
    if play.kind == "observation":
        spent = 0.0
        for index, action_type in play.actions[:10]:
            episode.play(action_type, index)
            began = process_time()
            circuit_records(episode)
            prompt(episode, scoring)
            spent += process_time() - began
        return spent / len(play.actions[:10]) * 1e6
    step, masks, looks = episode.play, episode.position.masks, play.kind == "swap + masks"
    began = process_time()
    for index, action_type in play.actions:
        step(action_type, index)
        _ = episode.done
        if looks:
            masks()
    return (process_time() - began) / len(play.actions) * 1e6


def report() -> str:
    """Measure and return the table in Markdown, with what its figures are."""
    rng = Random("growth")
    circuits = {size: own_circuit(*size, rng) for size in SIZES}
    played = {size: [plays(circuit, rng) for _ in range(PLAYS)] for size, circuit in circuits.items()}
    lines = []
    for size, circuit in circuits.items():
        cells = []
        for number in range(len(KINDS)):
            pairs = [
                pair(circuit, mine[number], circuits[BASE], base[number])
                for _ in range(ROUNDS)
                for mine, base in zip(played[size], played[BASE], strict=True)
                if mine[number].actions and base[number].actions
            ]
            times = median(mine / base for mine, base in pairs)
            cells.append(f"{median(mine for mine, _ in pairs):.2f} ({times:.2f}x)")
        lines.append(f"| {size[0]:,} gates, {size[1]} qubits | {' | '.join(cells)} |")
    return "\n".join(
        [
            f"| µs of CPU time (times that of {BASE[0]} gates on {BASE[1]} qubits) | {' | '.join(KINDS)} |",
            f"| --- | {' | '.join(['---:'] * len(KINDS))} |",
            *lines,
            "",
            f"Medians of {ROUNDS * PLAYS} episodes of at most {STEPS} steps, each after one on the smaller "
            "circuit. *Refused*, *swap* and *reduction* are steps by what becomes of them, with `done`; the "
            "observation shows every gate.",
        ]
    )


if __name__ == "__main__":
    print(report())
