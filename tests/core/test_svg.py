"""Drawings as SVG: golden ones, any drawing read back from its shapes, and what must not touch in one.

The drawings under tests/golden/svg have been looked at, in light and dark. A test run never writes them:

    PYTHONPATH=tests python tests/core/test_svg.py
"""

import re
from contextlib import suppress
from itertools import combinations, pairwise
from pathlib import Path
from random import Random
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import support.profiles  # noqa: F401
from qrewrite.circuits import (
    GATES,
    MAX_GATES,
    MAX_QUBITS,
    Circuit,
    DrawingError,
    Gate,
    Panel,
    draw_panels,
    draw_svg,
    layout,
)
from qrewrite.circuits.svg import STYLE
from qrewrite.tasks import generate
from support.circuits import DRAWN, DRAWN_WIDE, alphabet, circuits, random_circuit
from support.drawn_svg import FONT_SIZES, SVG, Box, SvgBlock, SvgDrawing, SvgGate, read_svg

GOLDEN = Path(__file__).parents[1] / "golden" / "svg"


def golden_drawings() -> dict[str, str]:
    """Name of the golden file → drawing."""
    return {
        "small": draw_svg(DRAWN),
        "small-no-indices": draw_svg(DRAWN, indices=False),
        "small-three-columns": draw_svg(DRAWN, columns=3),
        "eleven-qubits": draw_svg(DRAWN_WIDE, title='Eleven & <one> "title"'),
        "empty": draw_svg(Circuit(3, ())),
        "hard-13": draw_svg(generate("hard", 13)),
        "panels": draw_panels([Panel(DRAWN, "before"), Panel(DRAWN_WIDE, "after")], title="two", columns=4),
    }


def golden_file(name: str) -> Path:
    return GOLDEN / f"{name}.svg"


@pytest.mark.parametrize("name", golden_drawings())
def test_drawing_is_the_golden_one(name: str) -> None:
    assert golden_drawings()[name] + "\n" == golden_file(name).read_text(encoding="utf-8")


def test_golden_drawings_are_those_of_the_list() -> None:
    assert {path.stem for path in GOLDEN.iterdir()} == set(golden_drawings())


def title_of(index: int, gate: Gate) -> str:
    between = " → " if gate.name == "CNOT" else ", "
    return f"{index}: {gate.name} {between.join(f'q{qubit}' for qubit in gate.qubits)}"


def check(circuit: Circuit, columns: int | None = None, indices: bool = True) -> SvgDrawing:
    """Read a drawing back, and compare all that it tells with the circuit."""
    drawing = read_svg(draw_svg(circuit, columns=columns, indices=indices))
    gates = drawing.gates
    assert [(gate.index, gate.name, gate.qubits) for gate in gates] == [
        (index, gate.name, gate.qubits) for index, gate in enumerate(circuit.gates)
    ]
    for gate, drawn in zip(circuit.gates, gates, strict=True):
        assert drawn.title == title_of(drawn.index, gate)
        assert drawn.classes == {"qc-gate", f"qc-{gate.name.lower()}"}
        written = [shape.text for shape in drawn.shapes if shape.kind == "index"]
        assert written == [str(drawn.index)] * indices
    check_order(circuit, drawing)
    check_blocks(circuit, drawing, columns)
    for block in drawing.blocks:
        check_room(block, drawing.size)
    return drawing


def check_order(circuit: Circuit, drawing: SvgDrawing) -> None:
    """From left to right, block after block, the gates on each wire are in the order in which they act."""
    for qubit in range(circuit.num_qubits):
        places = [(gate.block, gate.x) for gate in drawing.gates if qubit in gate.qubits]
        assert all(one < other for one, other in pairwise(places))


def check_blocks(circuit: Circuit, drawing: SvgDrawing, columns: int | None) -> None:
    """Blocks have all wires, runs of gates in their order and at most so many columns, and say which."""
    titles = []
    for block in drawing.blocks:
        assert [label for label, _ in block.labels] == [f"q{qubit}" for qubit in range(circuit.num_qubits)]
        assert len({gate.x for gate in block.gates}) <= (columns or MAX_GATES)
        indices = [gate.index for gate in block.gates]
        assert indices == sorted(indices)
        if len(drawing.blocks) > 1:
            one = len(indices) == 1
            titles.append(f"gate {indices[0]}" if one else f"gates {indices[0]} to {indices[-1]}")
    assert [text for text, _ in drawing.lines] == titles


def check_room(block: SvgBlock, paper: Box) -> None:
    """No gate touches another one, no label anything; boxes around gates do not overlap, all is on paper."""
    by_column: dict[float, list[SvgGate]] = {}
    for gate in block.gates:
        by_column.setdefault(gate.x, []).append(gate)
        everything = gate.boxes("rect", "circle", "bar", "plus", "cross", "letter", "index")
        assert all(box.within(gate.hit) for box in everything)
        assert gate.hit.within(paper)
        assert block.length.left <= gate.hit.left
        assert gate.hit.right <= block.length.right
        for index in gate.boxes("index"):
            assert not any(index.meets(box) for box in gate.boxes("rect", "circle", "cross", "plus"))
            assert all(index.bottom < y or y < index.top for y in block.wires), "no wire runs through it"
    xs = sorted({gate.x for gate in block.gates})
    for number in range(len(xs)):
        near = [gate for x in xs[number : number + 2] for gate in by_column[x]]
        assert not any(one.hit.meets(other.hit) for one, other in combinations(near, 2))
    for _, label in block.labels:
        assert label.within(paper)
        assert label.right <= block.length.left
    assert not any(upper.meets(lower) for (_, upper), (_, lower) in pairwise(block.labels))


@given(
    circuits(max_qubits=6, max_words=12), st.none() | st.integers(min_value=1, max_value=12), st.booleans()
)
def test_a_drawing_reads_back(circuit: Circuit, columns: int | None, indices: bool) -> None:
    check(circuit, columns, indices)


@given(circuits(max_qubits=6, max_words=12))
def test_a_drawing_stands_in_the_columns_of_the_layout(circuit: Circuit) -> None:
    gates = check(circuit).gates
    xs = sorted({gate.x for gate in gates})
    assert [xs.index(gate.x) for gate in gates] == [placed.column for placed in layout(circuit).gates]
    assert len({right - left for left, right in pairwise(xs)}) <= 1


@pytest.mark.parametrize(("num_qubits", "size"), [(1, 0), (1, 300), (12, 600), (MAX_QUBITS, 250)])
@pytest.mark.parametrize("columns", [None, 1, 20])
def test_drawings_of_long_and_wide_circuits_read_back(
    num_qubits: int, size: int, columns: int | None
) -> None:
    check(random_circuit(Random(size), num_qubits, size) if size else Circuit(num_qubits, ()), columns)


def test_the_largest_circuit_is_drawn() -> None:
    circuit = random_circuit(Random(1), 6, MAX_GATES)
    root = ElementTree.fromstring(draw_svg(circuit))  # noqa: S314
    found = [gate.get("data-index") for gate in root.iter(f"{SVG}g") if "data-index" in gate.attrib]
    assert found == [str(index) for index in range(MAX_GATES)]
    check(Circuit(6, circuit.gates[-1200:]), 30)


@pytest.mark.parametrize("gate", alphabet(3), ids=str)
def test_every_gate_is_drawn_alone(gate: Gate) -> None:
    check(Circuit(3, (gate,)))


def test_all_is_on_whole_pixels() -> None:
    drawn = draw_svg(generate("hard", 13)).replace(STYLE, "")
    assert not re.search(r"\d\.\d", drawn)


def test_the_reader_of_drawings_can_say_no() -> None:
    text = draw_svg(DRAWN)
    found = read_svg(text)
    body = text.index('<g class="qc-block"')
    changed = 0
    for number in re.finditer(r"(?<=[ \"Mhvl-])\d+", text[body:]):
        start = body + number.start()
        other = text[:start] + str(int(number[0]) + 1) + text[start + len(number[0]) :]
        with suppress(AssertionError, ValueError):  # it may as well find that this is no drawing
            assert read_svg(other) != found
        changed += 1
    assert changed > 200


@pytest.mark.parametrize("columns", [0, -3, True, 2.0, "2", pytest.param(-(10**5000), id="huge")])
def test_columns_that_are_none_are_refused(columns: object) -> None:
    with pytest.raises(DrawingError, match="columns must be a positive integer, got ") as caught:
        draw_svg(DRAWN, columns=columns)  # type: ignore[arg-type]
    assert len(str(caught.value)) < 200


HOSTILE = "</title><script>alert(1)</script>\" onload='x' & ]]> &amp; \x00\x1b[2J\ud800\ufffe\U0001f600"


@pytest.mark.parametrize("title", ["", HOSTILE, "<!--", "a\nb"])
def test_any_text_is_a_title_or_a_caption_and_no_markup(title: str) -> None:
    for text in (draw_svg(DRAWN, title=title), draw_panels([Panel(DRAWN, title)], title=title)):
        root = ElementTree.fromstring(text)  # noqa: S314
        allowed = ("\ud7ff" < char < "\ue000" or char in "\x00\x1b\ufffe" for char in title)
        shown = "".join("\ufffd" if bad else char for char, bad in zip(title, allowed, strict=True))
        assert root.get("aria-label") == shown.replace("\n", " ")
        assert (root[0].text or "") == shown
        tags = {element.tag.removeprefix(SVG) for element in root.iter()}
        assert tags == {"svg", "title", "style", "g", "rect", "circle", "path", "text"}
    assert next(line.text or "" for line in root.iter(f"{SVG}text")) == shown


def test_the_paper_is_as_wide_as_the_captions() -> None:
    caption = "after 150 actions: 4 gates on 1 qubit, and no play leaves fewer than 3"
    drawing = read_svg(draw_panels([Panel(Circuit(1, ()), caption)], title="one"))
    ((text, box),) = drawing.lines
    assert text == caption
    average = 0.56  # of a letter of DejaVu Sans Bold, as large as the font
    assert box.left + average * FONT_SIZES["qc-caption"] * len(caption) < drawing.size.right
    assert box.bottom < drawing.blocks[0].wires[0] - 20


def test_a_title_that_is_not_given_is_the_size() -> None:
    assert read_svg(draw_svg(DRAWN)).name == "Circuit of 14 gates on 4 qubits"
    assert read_svg(draw_svg(Circuit.parse("H 0", num_qubits=1))).name == "Circuit of 1 gate on 1 qubit"


def test_a_drawing_is_complete_in_itself_and_any_number_fit_in_one_page() -> None:
    text = draw_panels([Panel(DRAWN, "before"), Panel(DRAWN_WIDE)], title="two", columns=3)
    root = ElementTree.fromstring(text)  # noqa: S314
    attributes = {name for element in root.iter() for name in element.attrib}
    assert attributes == {
        *("aria-label", "class", "data-index", "role", "transform", "viewBox"),
        *("width", "height", "x", "y", "cy", "r", "rx", "d"),
    }
    classes = {name for element in root.iter() for name in element.get("class", "").split()}
    assert all(name.startswith("qc-") for name in classes)
    assert [style.text for style in root.iter(f"{SVG}style")] == [STYLE]
    assert not re.search("url|@import|http|<|&|expression|script", STYLE)


def colours(style: str) -> dict[str, str]:
    """Class → colour, of the rules that give one to a gate or to a part of a drawing."""
    return {
        name.strip(): value
        for names, rules in re.findall(r"^([^{}@]+)\{([^}]*)\}", style, re.MULTILINE)
        for value in re.findall(r"(?:^|;)(?:color|fill|stroke):(#\w+)", rules)
        for name in names.split(",")
    }


def linear(colour: str) -> list[float]:
    """Red, green and blue as amounts of light, 0 to 1 (IEC 61966-2-1)."""
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    return [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]


def contrast(one: str, other: str) -> float:
    """Contrast of two colours, from 1 to 21 (WCAG 2.2, relative luminance)."""
    low, high = sorted(float(np.dot((0.2126, 0.7152, 0.0722), linear(colour))) for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


SEEN = {
    "normal": np.eye(3),
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
"""What the colour-blind see of light (Machado, Oliveira and Fernandes 2009, severity 1)."""

CONES = [
    [0.4122214708, 0.5363325363, 0.0514459929],
    [0.2119034982, 0.6806995451, 0.1073969566],
    [0.0883024619, 0.2817188376, 0.6299787005],
]
OKLAB = [
    [0.2104542553, 0.7936177850, -0.0040720468],
    [1.9779984951, -2.4285922050, 0.4505937099],
    [0.0259040371, 0.7827717662, -0.8086757660],
]


def distance(one: str, other: str, eyes: str) -> float:
    """Distance of two colours in Oklab (Ottosson 2020); black and white are 1 apart."""
    seen = [np.clip(np.dot(SEEN[eyes], linear(colour)), 0, 1) for colour in (one, other)]
    first, second = (np.dot(OKLAB, np.cbrt(np.dot(CONES, light))) for light in seen)
    return float(np.linalg.norm(first - second))


def palette(scheme: str) -> dict[str, str]:
    """Class → colour in this scheme."""
    light, _, dark = STYLE.partition("@media")
    changed = colours(dark.partition("{")[2])
    assert len(changed) > 10
    return colours(light) | (changed if scheme == "dark" else {})


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_letters_and_gates_stand_out(scheme: str) -> None:
    found = palette(scheme)
    paper = found[".qc-paper"]
    for colour in (found[f".qc-{name.lower()}"] for name in GATES):
        assert contrast(colour, found[".qc-gate rect+text"]) >= 4.5, "letters in their boxes"
        assert contrast(colour, found[".qc-gate circle+path"]) >= 4.5, "the plus in its disc"
        assert contrast(colour, paper) >= 4.5
    for text in (".qc-gate text", ".qc-note", ".qc-qubit", ".qc-caption"):
        assert contrast(found[text], paper) >= 4.5
    assert contrast(found[".qc-wire"], paper) >= 3


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("eyes", SEEN)
def test_boxes_differ_for_the_colour_blind(scheme: str, eyes: str) -> None:
    boxed = [palette(scheme)[f".qc-{name.lower()}"] for name, spec in GATES.items() if spec.arity == 1]
    assert len(boxed) == 4
    for one, other in combinations(boxed, 2):
        assert distance(one, other, eyes) > 0.08


def test_colours_that_the_colour_blind_confuse_are_found() -> None:
    assert distance("#000000", "#ffffff", "normal") == pytest.approx(1, abs=1e-3)
    assert distance("#bd4b00", "#7d6200", "normal") > 0.12
    assert distance("#bd4b00", "#7d6200", "protanopia") < 0.02


if __name__ == "__main__":
    GOLDEN.mkdir(parents=True, exist_ok=True)
    for name, text in golden_drawings().items():
        golden_file(name).write_text(text + "\n", encoding="utf-8")
