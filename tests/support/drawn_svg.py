"""Circuits read back from the shapes of their SVG; knows the legend and nothing of the code that draws.

Fonts are not known to whoever reads an SVG: letters are taken as wide as those of the widest common fonts.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple
from xml.etree import ElementTree

SVG = "{http://www.w3.org/2000/svg}"
FONT_SIZES = {"qc-qubit": 13, "qc-note": 13, "qc-caption": 14, "index": 11, "letter": 15}
ANCHORS = {"qc-qubit": 1.0, "qc-note": 0.0, "qc-caption": 0.0, "index": 0.5, "letter": 0.5}
DIGIT, LETTER, CAPITALS = 0.64, 0.84, 0.76
"""Width of a digit and of a letter, height of either above its line, for a font of size 1."""


class Box(NamedTuple):
    """A rectangle around something, in pixels of the whole drawing."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: "Box") -> bool:
        """Whether they share more than an edge."""
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )

    def within(self, other: "Box") -> bool:
        return (
            other.left <= self.left
            and self.right <= other.right
            and other.top <= self.top
            and self.bottom <= other.bottom
        )


class Shape(NamedTuple):
    """One element of a gate: its tag (`text` is split into `index` and `letter`), text and place."""

    kind: str
    text: str
    box: Box

    @property
    def middle(self) -> tuple[float, float]:
        return (self.box.left + self.box.right) / 2, (self.box.top + self.box.bottom) / 2


class SvgGate(NamedTuple):
    """A gate as it stands in a drawing; control first, else the upper qubit first."""

    block: int
    x: float
    index: int
    name: str
    qubits: tuple[int, ...]
    title: str
    hit: Box
    shapes: tuple[Shape, ...]
    classes: frozenset[str]

    def boxes(self, *kinds: str) -> list[Box]:
        return [shape.box for shape in self.shapes if shape.kind in kinds]


class SvgBlock(NamedTuple):
    """Wires, from the uppermost, as y; the labels at them; what is drawn on them."""

    wires: tuple[float, ...]
    length: Box
    labels: tuple[tuple[str, Box], ...]
    gates: tuple[SvgGate, ...]


class SvgDrawing(NamedTuple):
    """A whole drawing; `lines` are the texts above blocks."""

    size: Box
    name: str
    lines: tuple[tuple[str, Box], ...]
    blocks: tuple[SvgBlock, ...]

    @property
    def gates(self) -> list[SvgGate]:
        return [gate for block in self.blocks for gate in block.gates]


def read_svg(text: str) -> SvgDrawing:
    """Return what is drawn; AssertionError for anything that is no drawing."""
    root = ElementTree.fromstring(text)  # noqa: S314
    assert root.tag == f"{SVG}svg"
    assert root.get("role") == "img"
    width, height = float(root.get("width", "")), float(root.get("height", ""))
    assert root.get("viewBox") == f"0 0 {width:.0f} {height:.0f}"
    title, style, paper, *rest = root
    assert [title.tag, style.tag, paper.tag] == [f"{SVG}title", f"{SVG}style", f"{SVG}rect"]
    assert title.text == root.get("aria-label")
    groups = [part for part in rest if part.tag == f"{SVG}g"]
    lines = [part for part in rest if part.tag != f"{SVG}g"]
    assert {part.tag for part in lines} <= {f"{SVG}text"}
    return SvgDrawing(
        Box(0, 0, width, height),
        title.text or "",
        tuple((line.text or "", _text(line, 0, 0, line.get("class", ""))) for line in lines),
        tuple(_block(group, number) for number, group in enumerate(groups)),
    )


def _block(group: ElementTree.Element, number: int) -> SvgBlock:
    assert group.get("class") == "qc-block"
    dx, dy = _shift(group)
    wire, *rest = group
    assert wire.get("class") == "qc-wire"
    segments = [_around(path) for path in re.findall("M[^M]*", wire.get("d", ""))]
    assert all(box.top == box.bottom and (box.left, box.right) == segments[0][::2] for box in segments)
    wires = tuple(box.top + dy for box in segments)
    assert list(wires) == sorted(set(wires))
    labels = [part for part in rest if part.get("class") == "qc-qubit"]
    gates = [part for part in rest if part not in labels]
    return SvgBlock(
        wires,
        _moved(segments[0], dx, dy),
        tuple((label.text or "", _text(label, dx, dy, "qc-qubit")) for label in labels),
        tuple(_gate(gate, number, wires, dx, dy) for gate in gates),
    )


def _gate(group: ElementTree.Element, block: int, wires: tuple[float, ...], dx: float, dy: float) -> SvgGate:
    dx, dy = dx + _shift(group)[0], dy + _shift(group)[1]
    title, hit, *rest = group
    assert (title.tag, hit.get("class")) == (f"{SVG}title", "qc-hit")
    shapes = tuple(_shapes(rest, dx, dy))
    assert all(shape.middle[0] == dx for shape in shapes), "all of a gate is in its column"
    name, ys = _named([shape for shape in shapes if shape.kind not in ("index", "bar")])
    qubits = tuple(wires.index(y) for y in ys)
    bars = [shape.box for shape in shapes if shape.kind == "bar"]
    assert bars == [Box(dx, min(ys), dx, max(ys))] * (len(ys) > 1), "a bar joins the outermost wires"
    return SvgGate(
        block,
        dx,
        int(group.get("data-index", "")),
        name,
        qubits,
        title.text or "",
        _rect(hit, dx, dy),
        shapes,
        frozenset(group.get("class", "").split()),
    )


def _named(shapes: list[Shape]) -> tuple[str, list[float]]:
    """Return the gate that the shapes are, and at what height its first and second qubit are."""
    kinds = [shape.kind for shape in shapes]
    if kinds == ["rect", "letter"]:
        box, letter = shapes
        assert letter.box.within(box.box), "a letter is inside its box"
        return letter.text, [box.middle[1]]
    if kinds == ["cross", "cross"]:
        return "SWAP", [shape.middle[1] for shape in shapes]
    dots = [shape for shape in shapes if shape.kind == "circle"]
    if kinds == ["circle", "circle"]:
        return "CZ", [dot.middle[1] for dot in dots]
    assert sorted(kinds) == ["circle", "circle", "plus"], kinds
    (plus,) = (shape for shape in shapes if shape.kind == "plus")
    target, control = sorted(dots, key=lambda dot: not plus.box.within(dot.box))
    assert target.middle == plus.middle
    assert control.box.right - control.box.left < target.box.right - target.box.left
    return "CNOT", [control.middle[1], target.middle[1]]


def _shapes(parts: list[ElementTree.Element], dx: float, dy: float) -> Iterator[Shape]:
    for before, part in zip([None, *parts], parts, strict=False):
        tag = part.tag.removeprefix(SVG)
        if tag == "rect":
            yield Shape("rect", "", _rect(part, dx, dy))
        elif tag == "circle":
            cx, cy, r = (float(part.get(name, "0")) for name in ("cx", "cy", "r"))
            yield Shape("circle", "", Box(dx + cx - r, dy + cy - r, dx + cx + r, dy + cy + r))
        elif tag == "path":
            d = part.get("d", "")
            kind = "cross" if "l" in d else "plus" if "h" in d else "bar"
            yield Shape(kind, "", _moved(_around(d), dx, dy))
        else:
            assert tag == "text", tag
            kind = "letter" if before is not None and before.tag == f"{SVG}rect" else "index"
            yield Shape(kind, part.text or "", _text(part, dx, dy, kind))


def _shift(group: ElementTree.Element) -> tuple[float, float]:
    found = re.fullmatch(r"translate\((\d+) (\d+)\)", group.get("transform", ""))
    assert found is not None, "coordinates are whole pixels"
    return float(found[1]), float(found[2])


def _rect(part: ElementTree.Element, dx: float, dy: float) -> Box:
    x, y, width, height = (float(part.get(name, "0")) for name in ("x", "y", "width", "height"))
    return Box(dx + x, dy + y, dx + x + width, dy + y + height)


def _around(path: str) -> Box:
    """Return the box around a path of the commands M, m, h, v and l."""
    x = y = 0.0
    xs, ys = [], []
    for command, numbers in re.findall("([Mmhvl])([^A-Za-z]*)", path):
        values = [int(number) for number in re.findall(r"-?\d+", numbers)]
        if command == "M":
            x, y = values
        elif command == "h":
            x += values[0]
        elif command == "v":
            y += values[0]
        else:
            x, y = x + values[0], y + values[1]
        xs.append(x)
        ys.append(y)
    return Box(min(xs), min(ys), max(xs), max(ys))


def _moved(box: Box, dx: float, dy: float) -> Box:
    return Box(box.left + dx, box.top + dy, box.right + dx, box.bottom + dy)


def _text(part: ElementTree.Element, dx: float, dy: float, kind: str) -> Box:
    size, text = FONT_SIZES[kind], part.text or ""
    width = size * sum(DIGIT if char.isdigit() else LETTER for char in text)
    left = dx + float(part.get("x", "0")) - ANCHORS[kind] * width
    line = dy + float(part.get("y", "0"))
    return Box(left, line - CAPITALS * size, left + width, line)
