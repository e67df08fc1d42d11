"""Drawings: golden ones, and any drawing read back gate by gate; columns against a slow and simple search.

The drawings under tests/golden/drawing have been looked at. A test run never writes them; this does:

    PYTHONPATH=tests python tests/core/test_drawing.py
"""

from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import support.profiles  # noqa: F401
from qrewrite.circuits import (
    GATES,
    MAX_GATES,
    MIN_WIDTH,
    Circuit,
    DrawingError,
    Gate,
    draw_text,
    layout,
)
from qrewrite.circuits.columns import Columns
from qrewrite.tasks import generate
from support.circuits import DRAWN, DRAWN_WIDE, alphabet, circuits, random_circuit
from support.drawn import DrawnGate, read_drawing, titles

GOLDEN = Path(__file__).parents[1] / "golden" / "drawing"


def golden_drawings() -> dict[str, str]:
    """Name of the golden file → drawing."""
    return {
        "small": draw_text(DRAWN),
        "small-ascii": draw_text(DRAWN, unicode=False),
        "small-no-indices": draw_text(DRAWN, indices=False),
        "small-narrow": draw_text(DRAWN, width=MIN_WIDTH),
        "eleven-qubits": draw_text(DRAWN_WIDE),
        "empty": draw_text(Circuit(3, ())),
        "easy-42": draw_text(generate("easy", 42)),
        "hard-13": draw_text(generate("hard", 13)),
    }


def golden_file(name: str) -> Path:
    return GOLDEN / f"{name}.txt"


@pytest.mark.parametrize("name", golden_drawings())
def test_drawing_is_the_golden_one(name: str) -> None:
    assert golden_drawings()[name] + "\n" == golden_file(name).read_text(encoding="utf-8")


def test_golden_drawings_are_those_of_the_list() -> None:
    assert {path.stem for path in GOLDEN.iterdir()} == set(golden_drawings())


def numbered(circuit: Circuit) -> list[tuple[int | None, str, tuple[int, ...]]]:
    return [(index, gate.name, gate.qubits) for index, gate in enumerate(circuit.gates)]


def by_wire(circuit: Circuit, gates: list[Gate]) -> list[list[Gate]]:
    """The gates on each wire, in their order: equal for two orders that differ by legal swaps only."""
    return [[gate for gate in gates if qubit in gate.qubits] for qubit in range(circuit.num_qubits)]


def check(circuit: Circuit, width: int, unicode: bool = True, indices: bool = True) -> list[DrawnGate]:
    """Read a drawing back, and compare all that it tells with the circuit."""
    text = draw_text(circuit, width=width, unicode=unicode, indices=indices)
    lines = text.split("\n")
    assert max(map(len, lines)) <= width
    assert all(line == line.rstrip() for line in lines)
    assert unicode or text.isascii()
    num_qubits, drawn = read_drawing(text)
    assert num_qubits == circuit.num_qubits
    from_left = sorted(drawn, key=lambda gate: gate.place)
    gates = [Gate(gate.name, gate.qubits) for gate in from_left]
    assert by_wire(circuit, gates) == by_wire(circuit, list(circuit.gates))
    if indices:
        by_index = sorted((gate.index, gate.name, gate.qubits) for gate in drawn)
        assert by_index == numbered(circuit)
    check_blocks(circuit, text, [gate.place[0] for gate in from_left])
    return drawn


def check_blocks(circuit: Circuit, text: str, numbers: list[int]) -> None:
    """Titles tell consecutive runs of gates, of the lengths that the blocks have; a lone block has none."""
    found = titles(text)
    if not found:
        assert set(numbers) <= {0}
        return
    assert len(found) > 1
    assert [index for first, last in found for index in range(first, last + 1)] == list(range(len(circuit)))
    assert [last - first + 1 for first, last in found] == [numbers.count(at) for at in range(len(found))]


@given(circuits(max_qubits=6, max_words=12), st.integers(MIN_WIDTH, 60), st.booleans(), st.booleans())
def test_a_drawing_reads_back(circuit: Circuit, width: int, unicode: bool, indices: bool) -> None:
    check(circuit, width, unicode, indices)


@pytest.mark.parametrize(("num_qubits", "size"), [(1, 300), (2, 1200), (12, 1200), (64, 1200)])
@pytest.mark.parametrize("width", [MIN_WIDTH, 80, 100_000])
def test_drawings_of_long_and_wide_circuits_read_back(num_qubits: int, size: int, width: int) -> None:
    drawn = check(random_circuit(Random(size), num_qubits, size), width)
    assert (max(gate.place[0] for gate in drawn) == 0) == (width == 100_000)


def test_the_largest_circuit_is_drawn() -> None:
    check(random_circuit(Random(1), 6, MAX_GATES), 200)


@pytest.mark.parametrize("gate", alphabet(3), ids=str)
@pytest.mark.parametrize("unicode", [True, False])
def test_every_gate_is_drawn_alone(gate: Gate, unicode: bool) -> None:
    check(Circuit(3, (gate,)), MIN_WIDTH, unicode)


def test_gates_that_differ_are_drawn_differently() -> None:
    for unicode in (True, False):
        drawings = [draw_text(Circuit(3, (gate,)), unicode=unicode) for gate in alphabet(3)]
        assert len(set(drawings)) == len(drawings)


def test_the_reader_of_drawings_can_say_no() -> None:
    text = draw_text(DRAWN)
    assert read_drawing(text)[0] == 4
    for stray in ("│", "●", "┼", "⊕", "×", "H", "7"):
        for at in range(text.index("q1 ─") + 3, text.index("\n", text.index("q1 ─"))):
            other = text[:at] + stray + text[at + 1 :]
            if other == text:
                continue
            try:
                found = read_drawing(other)
            except (AssertionError, KeyError):
                continue
            assert found != read_drawing(text)


@given(circuits(max_qubits=6, max_words=12))
def test_a_circuit_that_fits_stands_in_the_columns_of_the_layout(circuit: Circuit) -> None:
    drawn = check(circuit, 1000)
    columns = sorted({gate.place for gate in drawn})
    placed = {placed.index: placed.column for placed in layout(circuit).gates}
    assert {gate.index: columns.index(gate.place) for gate in drawn} == placed


def touch(one: Gate, other: Gate) -> bool:
    """Whether two gates would meet in one column."""
    return min(one.qubits) <= max(other.qubits) and min(other.qubits) <= max(one.qubits)


def earliest_columns(circuit: Circuit) -> list[int]:
    """The same columns, by trying each from the first and looking at all gates before."""
    columns: list[int] = []
    for index, gate in enumerate(circuit.gates):
        before = list(zip(circuit.gates[:index], columns, strict=True))
        after = [at for other, at in before if set(other.qubits) & set(gate.qubits)]
        column = max(after, default=-1) + 1
        while any(at == column and touch(other, gate) for other, at in before):
            column += 1
        columns.append(column)
    return columns


@given(circuits(max_qubits=7, max_words=12))
def test_each_gate_is_in_the_earliest_column_that_can_have_it(circuit: Circuit) -> None:
    found = layout(circuit)
    assert [placed.column for placed in found.gates] == earliest_columns(circuit)
    assert found.num_columns == max((placed.column + 1 for placed in found.gates), default=0)
    assert found.num_qubits == circuit.num_qubits
    for index, (placed, gate) in enumerate(zip(found.gates, circuit.gates, strict=True)):
        assert (placed.index, placed.gate) == (index, gate)
        assert (placed.top, placed.bottom) == (min(gate.qubits), max(gate.qubits))


@pytest.mark.parametrize("seed", range(5))
def test_columns_of_wide_circuits_are_the_earliest(seed: int) -> None:
    circuit = random_circuit(Random(seed), 20, 120)
    assert [placed.column for placed in layout(circuit).gates] == earliest_columns(circuit)


class Counted(list[int]):
    """A list that counts how often an entry is looked at."""

    looks = 0

    def __getitem__(self, at: int) -> int:  # type: ignore[override]
        self.looks += 1
        return super().__getitem__(at)


def test_columns_are_not_searched_from_the_first_for_every_gate(monkeypatch: pytest.MonkeyPatch) -> None:
    columns = Columns(64)
    taken = Counted()
    monkeypatch.setattr(columns, "_taken", taken)
    walls = [Gate("SWAP", (0, 63))] * 2000
    for index, gate in enumerate([*walls, *(Gate("H", (1 + at % 62,)) for at in range(4000))]):
        columns.add(columns.place(index, gate))
    assert taken.looks > 62 * 2000, "each of the wires between has had to pass all walls"
    assert taken.looks < 64 * len(taken) + 3 * 6000


huge = pytest.param(-(10**5000), id="huge")


@pytest.mark.parametrize("width", [MIN_WIDTH - 1, 0, -80, True, 80.0, "80", None, huge])
def test_a_width_that_is_too_small_or_none_is_refused_and_told_the_least(width: object) -> None:
    least = f"width must be an integer of at least {MIN_WIDTH}, got "
    with pytest.raises(DrawingError, match=least) as caught:
        draw_text(DRAWN, width=width)  # type: ignore[arg-type]
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("name", GATES)
def test_marks_of_a_gate_are_one_a_qubit_and_differ_where_its_qubits_do(name: str) -> None:
    spec = GATES[name]
    assert len(spec.marks) == spec.arity
    if spec.arity == 1:
        assert spec.marks == (name,)
    else:
        assert (len(set(spec.marks)) == 1) == spec.symmetric


if __name__ == "__main__":
    GOLDEN.mkdir(parents=True, exist_ok=True)
    for name, text in golden_drawings().items():
        golden_file(name).write_text(text + "\n", encoding="utf-8")
