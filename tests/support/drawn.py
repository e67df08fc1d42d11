"""Circuits read back from their drawings; knows the drawing's legend and nothing of the code that draws."""

import re
from typing import NamedTuple

LETTERS = "HXYZ"
UNICODE_PAIRS = {"●⊕": "CNOT", "⊕●": "CNOT", "●●": "CZ", "××": "SWAP"}
PAIRS = UNICODE_PAIRS | {"*+": "CNOT", "+*": "CNOT", "**": "CZ", "xx": "SWAP"}
SYMBOLS = "".join(PAIRS)
LINES = {"wire": "─-", "bar": "│|", "crossing": "┼|"}


class DrawnGate(NamedTuple):
    """A gate as it stands in a drawing; control first, else the upper qubit first.

    Attributes:
        place: number of the block and character in it, which order the gates on each wire.
        index: what is written above it, or None.
    """

    place: tuple[int, int]
    index: int | None
    name: str
    qubits: tuple[int, ...]


def read_drawing(text: str) -> tuple[int, list[DrawnGate]]:
    """Return the number of qubits and the gates, from left to right; AssertionError for a stray character."""
    blocks = _blocks(text.split("\n"))
    assert len({len(block.wires) for block in blocks}) == 1, "all blocks have all wires"
    gates = [gate for number, block in enumerate(blocks) for gate in block.read(number)]
    return len(blocks[0].wires), gates


def titles(text: str) -> list[tuple[int, int]]:
    """Return the first and the last index that each title tells."""
    found = re.findall(r"^gates? (\d+)(?: to (\d+))?$", text, re.MULTILINE)
    return [(int(first), int(last or first)) for first, last in found]


class _Block:
    def __init__(self) -> None:
        self.wires: list[dict[int, str]] = []
        self.gaps: list[dict[int, str]] = []

    def add(self, gap: str, wire: str) -> None:
        self.gaps.append({at: char for at, char in enumerate(gap) if char != " "})
        margin = wire.index(" ") + len(re.search(" +", wire)[0])  # type: ignore[index]
        self.wires.append(
            {at: char for at, char in enumerate(wire) if at >= margin and char not in LINES["wire"]}
        )

    def read(self, number: int) -> list[DrawnGate]:
        found = []
        for at, top in sorted((at, qubit) for qubit, wire in enumerate(self.wires) for at in wire):
            if at in self.wires[top]:  # else it was the lower end of a gate that has been read
                index = self._index(top, at)
                found.append(DrawnGate((number, at), index, *self._gate(top, at)))
        assert not any(self.wires), f"stray characters on the wires: {self.wires}"
        assert not any(self.gaps), f"stray characters between the wires: {self.gaps}"
        return found

    def _gate(self, top: int, at: int) -> tuple[str, tuple[int, ...]]:
        mark = self.wires[top].pop(at)
        if mark in LETTERS:
            return mark, (top,)
        assert mark in SYMBOLS, f"{mark!r} begins no gate"
        bottom = top + 1
        assert self.gaps[bottom].pop(at) in LINES["bar"]
        while self.wires[bottom][at] in LINES["crossing"]:
            del self.wires[bottom][at]
            bottom += 1
            assert self.gaps[bottom].pop(at) in LINES["bar"]
        ends = mark + self.wires[bottom].pop(at)
        return PAIRS[ends], (bottom, top) if ends in ("⊕●", "+*") else (top, bottom)

    def _index(self, top: int, at: int) -> int | None:
        gap = self.gaps[top]
        if not gap.get(at, "").isdecimal():
            return None
        first = last = at
        while gap.get(first - 1, "").isdecimal():
            first -= 1
        while gap.get(last + 1, "").isdecimal():
            last += 1
        return int("".join(gap.pop(place) for place in range(first, last + 1)))


def _blocks(lines: list[str]) -> list[_Block]:
    blocks, gap = [], ""
    for line in lines:
        wire = re.match(r"q(\d+) ", line)
        if wire is None:
            gap = "" if line.startswith("gate") else line
            continue
        qubit = int(wire[1])
        if qubit == 0:
            blocks.append(_Block())
        assert qubit == len(blocks[-1].wires), "wires are in order"
        blocks[-1].add(gap, line)
        gap = ""
    return blocks
