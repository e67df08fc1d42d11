"""Circuits drawn with characters, for prompts and terminals."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from qrewrite.circuits.blocks import Block, blocks
from qrewrite.circuits.circuit import MAX_GATES, Circuit
from qrewrite.circuits.errors import DrawingError, shown
from qrewrite.circuits.gates import GATES

MIN_WIDTH: Final = len(f"gates {MAX_GATES - 1} to {MAX_GATES - 1}")
"""Smallest width of a drawing, in characters: that of the longest title, which exceeds any single column."""


@dataclass(frozen=True, slots=True)
class _Glyphs:
    """Characters of a face, each one column of a terminal wide; a mark that is not named is drawn as is."""

    wire: str
    bar: str
    crossing: str
    marks: Mapping[str, str]


_UNICODE: Final = _Glyphs("─", "│", "┼", {"control": "●", "not": "⊕", "swap": "×"})
_ASCII: Final = _Glyphs("-", "|", "|", {"control": "*", "not": "+", "swap": "x"})


def draw_text(circuit: Circuit, *, width: int = 80, unicode: bool = True, indices: bool = True) -> str:
    """Return the circuit as lines of at most `width` characters, without a line break at the end.

    Wires run from left to right, qubit 0 on top, and each gate stands in the earliest column that can have
    it; gates in one column touch no common wire. `indices` writes each gate's index in the circuit above it,
    in line with its topmost mark. A circuit that is too long for the width is cut into blocks, one below the
    other, each with the next gates of the circuit and a title that says which. Without `unicode` the drawing
    is pure ASCII: `*` control, `+` target, `x` SWAP, `|` what joins them. DrawingError for a width below
    MIN_WIDTH.

    >>> print(draw_text(Circuit.parse("H 0; CNOT 0 2; X 1; CZ 1 2; SWAP 0 1", num_qubits=3), unicode=False))
        0 1   4
    q0 -H-*---x-
        2 | 3 |
    q1 -X-|-*-x-
          | |
    q2 ---+-*---
    """
    if type(width) is not int or width < MIN_WIDTH:
        raise DrawingError(f"width must be an integer of at least {MIN_WIDTH}, got {shown(width)}")
    glyphs = _UNICODE if unicode else _ASCII
    margin = [f"q{qubit}".ljust(len(f"q{circuit.num_qubits - 1} ")) for qubit in range(circuit.num_qubits)]
    # Each column is followed by a character of wire, and the first has one before it.
    room = width - len(margin[0]) - 1
    cut = list(blocks(circuit, room=room, size=lambda index: len(str(index)) + 1 if indices else 2))
    drawn = ["\n".join(_lines(block, margin, glyphs, indices)) for block in cut]
    if len(cut) > 1:
        drawn = [f"{block.title}\n{lines}" for block, lines in zip(cut, drawn, strict=True)]
    return "\n\n".join(drawn)


def _lines(block: Block, margin: Sequence[str], glyphs: _Glyphs, indices: bool) -> Iterator[str]:
    """Yield each wire, and above it a line for bars and for the indices of the gates that begin there."""
    starts = list(accumulate(block.sizes or [2], initial=1))
    wires = [[glyphs.wire] * starts[-1] for _ in margin]
    gaps = [[" "] * starts[-1] for _ in margin]
    for placed in block.layout.gates:
        gate, top, bottom = placed.gate, placed.top, placed.bottom
        centre = starts[placed.column] + block.sizes[placed.column] // 2 - 1
        for wire in range(top + 1, bottom + 1):
            gaps[wire][centre] = glyphs.bar
        for wire in range(top + 1, bottom):
            wires[wire][centre] = glyphs.crossing
        for qubit, mark in zip(gate.qubits, GATES[gate.name].marks, strict=True):
            wires[qubit][centre] = glyphs.marks.get(mark, mark)
        if indices:
            text = str(placed.index)
            begin = centre - (len(text) - 1) // 2
            gaps[top][begin : begin + len(text)] = text
    for qubit, name in enumerate(margin):
        gap = "".join(gaps[qubit]).rstrip()
        if gap or qubit:
            yield " " * len(name) * bool(gap) + gap
        yield name + "".join(wires[qubit])
