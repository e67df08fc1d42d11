"""`quantum-circuit-env show`: what it draws of a seed, a split or a file, and what it says of bad input."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from qrewrite.circuits import MIN_WIDTH, Circuit, Gate, draw_svg, draw_text
from qrewrite.tasks import generate, task_at, tier_of
from quantum_circuit_env.cli import main
from support.circuits import plain
from support.drawn import read_drawing
from support.drawn_svg import read_svg

CIRCUIT = Circuit.parse("H 0; CNOT 0 2; X 1; X 1", num_qubits=3)


@pytest.fixture(autouse=True)
def _terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "70")


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    """Run the command in this process and return its exit status."""
    monkeypatch.setattr(sys, "argv", ["quantum-circuit-env", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    status = ended.value.code
    return status if isinstance(status, int) else 0


def shown(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What `show` prints with these arguments, which are right."""
    assert run(monkeypatch, "show", *arguments) == 0
    printed, errors = capsys.readouterr()
    assert errors == ""
    return printed


def test_the_circuit_of_a_seed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    drawing = draw_text(generate("hard", 13), width=70)
    expected = f"hard, seed 13: 70 gates on 6 qubits\n\n{drawing}\n"
    assert shown(monkeypatch, capsys, "--task", "hard", "--seed", "13") == expected


def test_a_seed_alone_chooses_its_task(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    task = tier_of("random", 5).name
    assert shown(monkeypatch, capsys, "--seed", "5") == shown(
        monkeypatch, capsys, "--task", task, "--seed", "5"
    )


def test_the_circuit_of_a_split(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    task, seed = task_at("test", 203)
    text = shown(monkeypatch, capsys, "--split", "test", "--index", "203")
    assert text == shown(monkeypatch, capsys, "--task", task, "--seed", str(seed))


@pytest.mark.parametrize("whole", [True, False])
def test_the_circuit_of_a_file(
    whole: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "circuit.json"
    gates = CIRCUIT.records()
    file.write_text(json.dumps({"num_qubits": 3, "circuit": gates} if whole else gates), encoding="utf-8")
    arguments = ["--file", str(file), *([] if whole else ["--qubits", "3"])]
    expected = f"4 gates on 3 qubits\n\n{draw_text(CIRCUIT)}\n"
    assert shown(monkeypatch, capsys, *arguments) == expected


def test_width_and_ascii(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(monkeypatch, capsys, "--task", "hard", "--seed", "1", "--width", "40", "--ascii")
    assert text.isascii()
    assert text.endswith(f"\n\n{draw_text(generate('hard', 1), width=40, unicode=False)}\n")


def test_a_terminal_narrower_than_any_drawing_gets_the_narrowest(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "5")
    text = shown(monkeypatch, capsys, "--task", "easy", "--seed", "1")
    assert text.endswith(draw_text(generate("easy", 1), width=MIN_WIDTH) + "\n")


@pytest.mark.parametrize(("task", "seed"), [("easy", 42), ("medium", 7), ("hard", 13)])
def test_solved_draws_what_the_best_play_leaves(
    task: str, seed: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--task", task, "--seed", str(seed), "--width", "200"]
    before = shown(monkeypatch, capsys, *arguments)
    both = shown(monkeypatch, capsys, *arguments, "--solved")
    assert both.startswith(before)
    title, drawing = both.removeprefix(before).strip("\n").split("\n\n", 1)
    num_qubits, drawn = read_drawing(drawing)
    drawn.sort(key=lambda gate: gate.index or 0)
    after = Circuit.of(num_qubits, (Gate(gate.name, gate.qubits) for gate in drawn))
    tier = tier_of(task, seed)
    assert len(after) == tier.par
    assert f": {tier.par} gates on {tier.num_qubits} qubits, and no play leaves fewer" in title
    assert tier.num_qubits == num_qubits


def test_solved_of_a_circuit_that_vanishes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "pair.json"
    file.write_text(json.dumps(Circuit.parse("X 0; X 0", num_qubits=1).records()), encoding="utf-8")
    text = shown(monkeypatch, capsys, "--file", str(file), "--qubits", "1", "--solved")
    assert text == (
        "2 gates on 1 qubit\n\n    0 1\nq0 ─X─X─\n\n"
        "after 1 action: 0 gates on 1 qubit, and no play leaves fewer\n\nq0 ───\n"
    )


def test_an_svg_of_a_seed_a_split_and_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    task, seed = task_at("test", 203)
    own = tmp_path / "circuit.json"
    own.write_text(json.dumps({"num_qubits": 3, "circuit": CIRCUIT.records()}), encoding="utf-8")
    for arguments, circuit, named in [
        (("--task", "hard", "--seed", "13"), generate("hard", 13), "hard, seed 13: 70 gates on 6 qubits"),
        (("--split", "test", "--index", "203"), generate(task, seed), f"{task}, seed {seed}: "),
        (("--file", str(own)), CIRCUIT, "4 gates on 3 qubits"),
    ]:
        picture = tmp_path / "picture.svg"
        said = shown(monkeypatch, capsys, *arguments, "--svg", str(picture), "--columns", "20")
        text = picture.read_text(encoding="utf-8")
        title = read_svg(text).name
        assert said == f"{title}\n"
        assert title.startswith(named)
        assert text == draw_svg(circuit, columns=20, title=title) + "\n"
        assert shown(monkeypatch, capsys, *arguments, "--svg", "-", "--columns", "20") == text


def test_solved_is_two_drawings_in_one_svg(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--task", "medium", "--seed", "7", "--solved"]
    drawing = read_svg(shown(monkeypatch, capsys, *arguments, "--svg", "-"))
    text = shown(monkeypatch, capsys, *arguments, "--width", "200")
    captions = [caption for caption, _ in drawing.lines]
    assert captions == [line for line in text.splitlines() if " gates on " in line]
    assert drawing.name == "; ".join(captions)
    before, after = drawing.blocks
    assert [(gate.name, gate.qubits) for gate in before.gates] == plain(generate("medium", 7))
    _, left = read_drawing(text.split(captions[1])[1].strip("\n"))
    assert [(gate.index, gate.name, gate.qubits) for gate in after.gates] == sorted(
        (gate.index, gate.name, gate.qubits) for gate in left
    )


HOW = "give --seed and perhaps --task, or --split and --index, or --file"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("", HOW),
        ("--task easy", HOW),
        ("--split test", HOW),
        ("--index 3", HOW),
        ("--qubits 3", HOW),
        ("--split test --index 3 --seed 1", HOW),
        ("--seed 1 --qubits 2", HOW),
        ("--file x.json --seed 1", HOW),
        ("--seed x", "'--seed'"),
        ("--seed -1", "seed must be an integer in 0..4294967295, got -1"),
        ("--task foo --seed 1", "unknown task 'foo'; the tasks are easy, medium, hard and random"),
        ("--split test --index 600", "index must be an integer in 0..599 for split test, got 600"),
        ("--split foo --index 6", "unknown split 'foo'; the splits are train, validation, test"),
        ("--file missing.json", "cannot read 'missing.json': No such file or directory"),
        ("--file .", "cannot read '.': Is a directory"),
        ("--file broken.json", "a circuit must be JSON"),
        ("--file list.json", "a list of gates needs its number of qubits"),
        ("--file hostile.json --qubits 1", r"unknown gate '\x1b[2J\n"),
        ("--seed 1 --width 17", f"width must be an integer of at least {MIN_WIDTH}, got 17"),
        ("--seed 1 --svg no/such/folder.svg", "cannot write 'no/such/folder.svg': No such file or directory"),
        ("--seed 1 --svg .", "cannot write '.': Is a directory"),
        ("--seed 1 --svg x.svg --width 80", "--width and --ascii are for text; an SVG takes --columns"),
        ("--seed 1 --svg x.svg --ascii", "--width and --ascii are for text; an SVG takes --columns"),
        ("--seed 1 --columns 20", "--columns is for --svg; text takes --width"),
        ("--seed 1 --svg x.svg --columns 0", "columns must be a positive integer, got 0"),
        ("--file hostile.json --qubits 1 --svg x.svg", r"unknown gate '\x1b[2J\n"),
        ("--sed 1", "--sed"),
        ("extra", "extra"),
    ],
)
def test_bad_input_is_told_in_one_line(
    arguments: str,
    says: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("broken.json").write_text("{", encoding="utf-8")
    Path("list.json").write_text("[]", encoding="utf-8")
    hostile = [{"name": "\x1b[2J\nH", "target_qubits": [0]}]
    Path("hostile.json").write_text(json.dumps(hostile), encoding="utf-8")
    assert run(monkeypatch, "show", *arguments.split()) == 2
    printed, errors = capsys.readouterr()
    assert printed == ""
    assert errors.startswith("quantum-circuit-env: ")
    assert errors.count("\n") == 1
    assert errors.endswith("\n")
    assert says in errors
    assert "\x1b" not in errors
    assert not Path("x.svg").exists(), "nothing is written unless it is whole"


def test_an_unknown_command_is_told_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "draw") == 2
    printed, errors = capsys.readouterr()
    assert (printed, errors) == ("", "quantum-circuit-env: No such command 'draw'.\n")


COMMAND = """
import sys
from quantum_circuit_env.cli import main
try:
    main()
finally:
    print("openenv" in sys.modules)
"""


def test_an_svg_is_utf_8_in_an_ascii_terminal() -> None:
    command = [sys.executable, "-m", "quantum_circuit_env.cli", "show", "--seed", "1", "--svg", "-"]
    environment = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "PATH": ""}
    done = subprocess.run(command, capture_output=True, env=environment, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")
    assert [(gate.name, gate.qubits) for gate in read_svg(done.stdout.decode("utf-8")).gates] == plain(
        generate("random", 1)
    )


@pytest.mark.parametrize("arguments", [[], ["show", "--seed", "1"]])
def test_the_command_line_does_without_openenv_and_in_an_ascii_terminal(arguments: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, *arguments],
        capture_output=True,
        env={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "PATH": ""},
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    *text, imported = done.stdout.decode("ascii").splitlines()
    assert imported == "False"
    assert any("seed 1:" in line or "Usage" in line for line in text)


@pytest.mark.parametrize(
    ("where", "status", "says"),
    [
        (">&-", 0, ""),
        ("> /dev/full", 2, "quantum-circuit-env: [Errno 28] No space left on device\n"),
        ("| true", 0, ""),
    ],
)
def test_an_output_that_takes_nothing_is_no_traceback(where: str, status: int, says: str) -> None:
    if "/dev/full" in where and not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full")
    command = f'"{sys.executable}" -m quantum_circuit_env.cli show --seed 1 {where}'
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (status, "", says)
