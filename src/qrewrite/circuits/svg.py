"""Circuits drawn as SVG, for pages and documents: by itself in light and dark, without scripts or ids."""

import re
from collections.abc import Sequence
from html import escape
from typing import Final, NamedTuple

from qrewrite.circuits.blocks import Block, blocks
from qrewrite.circuits.circuit import MAX_GATES, Circuit
from qrewrite.circuits.columns import PlacedGate
from qrewrite.circuits.errors import DrawingError, shown
from qrewrite.circuits.gates import GATES

STYLE: Final = """
.qc-drawing{font:13px system-ui,sans-serif;font-variant-numeric:tabular-nums}
.qc-paper{fill:#fff}
.qc-wire,.qc-gate path{fill:none;stroke:#8b95a3;stroke-width:2}
.qc-gate path{stroke:currentColor}
.qc-gate circle,.qc-gate rect{fill:currentColor;rx:3px}
.qc-gate circle+path{stroke:#fff}
.qc-gate .qc-hit{fill:none;pointer-events:all}
.qc-gate text{font-size:11px;text-anchor:middle}
.qc-gate rect+text{fill:#fff;font-size:15px;font-weight:600}
.qc-gate text,.qc-note{fill:#57606a}
.qc-qubit,.qc-caption{fill:#24292f}
.qc-qubit{text-anchor:end}
.qc-caption{font-size:14px;font-weight:600}
.qc-h{color:#004f8f}
.qc-x,.qc-cnot{color:#c24e00}
.qc-y{color:#5c4b00}
.qc-z,.qc-cz{color:#008262}
.qc-swap{color:#9c3f77}
@media(prefers-color-scheme:dark){
.qc-paper,.qc-gate rect+text{fill:#0d1117}
.qc-gate circle+path{stroke:#0d1117}
.qc-wire{stroke:#5d6878}
.qc-gate text,.qc-note{fill:#9da7b3}
.qc-qubit,.qc-caption{fill:#e6edf3}
.qc-h{color:#5aa9f5}
.qc-x,.qc-cnot{color:#f2853f}
.qc-y{color:#f2e05a}
.qc-z,.qc-cz{color:#5fe0b6}
.qc-swap{color:#f0a0d0}
}
"""
"""Text of the style element of every drawing, which a page's security policy can name by its hash.

Hues are close to those of Okabe and Ito (https://jfly.uni-koeln.de/color/), lightness is chosen so that
letters can be read on them and boxes differ for the colour-blind too; a gate is told by its letter or shape
as well, never by its colour alone.
"""

COLUMN: Final = 32
ROW: Final = 42
_ABOVE: Final = 28
"""Room above a wire for a gate and its index; the rest of the row is below."""
_INDEX: Final = -16
"""Where the line of a gate's index is, from its upper wire."""
_EDGE: Final = 16
_LEAD: Final = 8
"""Wire before the first column, and behind the last."""
_NOTE: Final = 20
"""Height of a line of text above wires."""
_BETWEEN: Final = 18
"""Gap between blocks."""

_NAMES: Final = 6
"""Gap between a wire's name and the wire."""

_NO_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Panel(NamedTuple):
    """A circuit of a drawing that shows several, and the line of text above it, if any."""

    circuit: Circuit
    caption: str | None = None


def draw_svg(
    circuit: Circuit, *, columns: int | None = None, indices: bool = True, title: str | None = None
) -> str:
    """Return the circuit as one SVG element, which can stand in a page or be a file of its own.

    Gates stand in the columns of `draw_text`. Each is a group of the classes `qc-gate` and `qc-<name>` with
    its index as `data-index`, a title such as `3: CNOT q0 → q2`, and a rectangle `qc-hit` around it and its
    index, which is for pointers and for whatever marks the gate; these rectangles never overlap.

    Args:
        circuit: what is drawn.
        columns: most columns side by side; a longer circuit is cut into blocks, one below the other, each
            with a line that says which gates it has. Without it everything is side by side.
        indices: whether each gate's index in the circuit is written above it.
        title: what the drawing is called, by screen readers too; else the size of the circuit. Any text.

    Raises:
        DrawingError: `columns` is no positive integer.
    """
    if title is None:
        gates, qubits = len(circuit), circuit.num_qubits
        title = f"Circuit of {gates} gate{'s' * (gates != 1)} on {qubits} qubit{'s' * (qubits != 1)}"
    return draw_panels([Panel(circuit)], title=title, columns=columns, indices=indices)


def columns_within(width: int, num_qubits: int) -> int:
    """Return how many columns a drawing of at most `width` pixels has room for; at least 1."""
    around = _margin(num_qubits) + _NAMES + 2 * _LEAD + _EDGE
    return max(1, (width - around) // COLUMN)


def draw_panels(
    panels: Sequence[Panel], *, title: str, columns: int | None = None, indices: bool = True
) -> str:
    """Return circuits, at least one, below each other as one SVG element; the arguments are `draw_svg`'s."""
    if columns is not None and (type(columns) is not int or columns < 1):
        raise DrawingError(f"columns must be a positive integer, got {shown(columns)}")
    sheet = _Sheet(max(_margin(panel.circuit.num_qubits) for panel in panels))
    for panel in panels:
        sheet.add(panel, columns or MAX_GATES, indices)
    name = _text(title)
    size = f'width="{sheet.width}" height="{sheet.height}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="qc-drawing" {size} '
        f'viewBox="0 0 {sheet.width} {sheet.height}" role="img" aria-label="{name}">'
        f"<title>{name}</title><style>{STYLE}</style>"
        f'<rect class="qc-paper" {size} rx="8"/>{"".join(sheet.parts)}</svg>'
    )


def _margin(num_qubits: int) -> int:
    """Return the width of the wires' names, edge included."""
    return _EDGE + (28 if num_qubits > 10 else 20)


class _Sheet:
    """What has been drawn, and how large it is, in pixels; wires begin at `margin`."""

    def __init__(self, margin: int) -> None:
        self._margin = margin
        self._bottom = 0
        self.width = 0
        self.parts: list[str] = []

    @property
    def height(self) -> int:
        return self._bottom + _EDGE

    def add(self, panel: Panel, columns: int, indices: bool) -> None:
        """Add a circuit below all others."""
        cut = list(blocks(panel.circuit, room=columns, size=lambda _: 1))
        self._bottom += _BETWEEN if self.parts else _EDGE
        if panel.caption is not None:
            self._line("qc-caption", panel.caption)
        for number, block in enumerate(cut):
            if number:
                self._bottom += _BETWEEN
            if len(cut) > 1:
                self._line("qc-note", block.title)
            self._block(block, indices)

    def _line(self, kind: str, text: str) -> None:
        # The reader's font is not known; in DejaVu Sans Bold, a wide one, letters of 14 take 7.9 on average.
        self.width = max(self.width, 2 * _EDGE + 8 * len(text))
        self.parts.append(f'<text class="{kind}" x="{_EDGE}" y="{self._bottom + 14}">{_text(text)}</text>')
        self._bottom += _NOTE

    def _block(self, block: Block, indices: bool) -> None:
        layout, left = block.layout, self._margin + _NAMES
        length = COLUMN * max(1, layout.num_columns) + 2 * _LEAD
        self.parts.append(f'<g class="qc-block" transform="translate({left} {self._bottom + _ABOVE})">')
        ys = [ROW * qubit for qubit in range(layout.num_qubits)]
        self.parts.append(f'<path class="qc-wire" d="{"".join(f"M0 {y}h{length}" for y in ys)}"/>')
        for qubit, y in enumerate(ys):
            self.parts.append(f'<text class="qc-qubit" x="-{_NAMES}" y="{y + 4}">q{qubit}</text>')
        self.parts += (_gate(placed, indices) for placed in layout.gates)
        self.parts.append("</g>")
        self.width = max(self.width, left + length + _EDGE)
        self._bottom += ROW * layout.num_qubits


def _gate(placed: PlacedGate, indices: bool) -> str:
    """Return the gate, drawn around the point where its column meets its upper wire."""
    gate, index, top = placed.gate, placed.index, placed.top
    span = ROW * (placed.bottom - top)
    marks = GATES[gate.name].marks
    qubits = (" → " if "not" in marks else ", ").join(f"q{qubit}" for qubit in gate.qubits)
    x, y = _LEAD + COLUMN // 2 + COLUMN * placed.column, ROW * top
    shapes = [_mark(mark, ROW * (qubit - top)) for mark, qubit in zip(marks, gate.qubits, strict=True)]
    return (
        f'<g class="qc-gate qc-{gate.name.lower()}" data-index="{index}" transform="translate({x} {y})">'
        f"<title>{index}: {gate.name} {qubits}</title>"
        f'<rect class="qc-hit" x="{-COLUMN // 2}" y="{-_ABOVE}" width="{COLUMN}" height="{span + ROW}"/>'
        + (f'<path d="M0 0v{span}"/>' if span else "")
        + "".join(shapes)
        + (f'<text y="{_INDEX}">{index}</text>' if indices else "")
        + "</g>"
    )


def _mark(mark: str, y: int) -> str:
    """Return what stands on one wire, at `y`: one of the gate table's symbols, or a letter in its box."""
    at = f' cy="{y}"' if y else ""
    match mark:
        case "control":
            return f'<circle{at} r="5"/>'
        case "not":
            return f'<circle{at} r="11"/><path d="M-7 {y}h14M0 {y - 7}v14"/>'
        case "swap":
            return f'<path d="M-7 {y - 7}l14 14m0-14l-14 14"/>'
        case letter:
            return f'<rect x="-12" y="{y - 12}" width="24" height="24"/><text y="{y + 5}">{letter}</text>'


def _text(text: str) -> str:
    """Return any text as it is written in XML, with a mark for each character that XML cannot have."""
    return escape(_NO_XML.sub("\ufffd", text))
