"""The game's rules a second time, written on plain lists from the rules' table: slow, obvious, independent.

A gate is `(name, qubits)`, a circuit a list of them. Nothing here uses the library's rules or circuits.
"""

from collections.abc import Iterator

Gate = tuple[str, tuple[int, ...]]
Gates = list[Gate]

OK = "ok"
REFUSALS = {1: "not_cancellable", 2: "not_commuting", 3: "no_hxh", 4: "no_cnot_triple"}
ACCEPTED = {1: "cancelled", 2: "swapped", 3: "collapsed_hxh", 4: "compressed_cnots"}
REWARDS = {1: 1.00, 2: -0.05, 3: 2.00, 4: 2.00}
INVALID_REWARD = -0.10


def share_qubit(left: Gate, right: Gate) -> bool:
    return bool(set(left[1]) & set(right[1]))


def next_sharing(gates: Gates, index: int) -> int | None:
    """Index of the next later gate that shares any qubit with the gate at `index`."""
    for later in range(index + 1, len(gates)):
        if share_qubit(gates[index], gates[later]):
            return later
    return None


def answer(gates: Gates, action_type: int, index: int) -> str:
    """What the action would be answered: `ok` or the refusal."""
    if index >= len(gates):
        return "invalid_index"
    legal = {1: may_cancel, 2: may_swap, 3: is_hxh, 4: is_cnot_triple}[action_type](gates, index)
    return OK if legal else REFUSALS[action_type]


def may_cancel(gates: Gates, index: int) -> bool:
    partner = next_sharing(gates, index)
    return partner is not None and gates[partner] == gates[index]


def may_swap(gates: Gates, index: int) -> bool:
    return index + 1 < len(gates) and not share_qubit(gates[index], gates[index + 1])


def is_hxh(gates: Gates, index: int) -> bool:
    return triple_product(gates[index : index + 3]) == ("Z", gates[index][1])


def is_cnot_triple(gates: Gates, index: int) -> bool:
    product = triple_product(gates[index : index + 3])
    return product is not None and product[0] == "SWAP"


def triple_product(triple: Gates) -> Gate | None:
    """The gate that these three equal by rule 3 or 4, or None."""
    if [name for name, _ in triple] == ["H", "X", "H"] and len({qubits for _, qubits in triple}) == 1:
        return ("Z", triple[0][1])
    if [name for name, _ in triple] == ["CNOT"] * 3:
        (a, b), middle, last = (qubits for _, qubits in triple)
        if middle == (b, a) and last == (a, b):
            return ("SWAP", (min(a, b), max(a, b)))
    return None


def rewrite(gates: Gates, action_type: int, index: int) -> Gates:
    """The circuit after a legal action."""
    if action_type == 1:
        partner = next_sharing(gates, index)
        return [gate for place, gate in enumerate(gates) if place not in (index, partner)]
    if action_type == 2:
        return [*gates[:index], gates[index + 1], gates[index], *gates[index + 2 :]]
    product = triple_product(gates[index : index + 3])
    assert product is not None
    return [*gates[:index], product, *gates[index + 3 :]]


def masks(gates: Gates) -> list[int]:
    """For each gate, bit t-1 for every action type t that is legal on it."""
    return [
        sum(2 ** (kind - 1) for kind in ACCEPTED if answer(gates, kind, index) == OK)
        for index in range(len(gates))
    ]


def legal_actions(gates: Gates) -> Iterator[tuple[int, int]]:
    """All legal (action_type, index)."""
    for index in range(len(gates)):
        for action_type in (1, 2, 3, 4):
            if answer(gates, action_type, index) == OK:
                yield action_type, index
