"""docs/evaluation.md is true: its example is played, its numbers are its own, its lists are the code's."""

import re
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import pytest

from quantum_circuit_env import evals
from quantum_circuit_env.agents.vocabulary import UNUSABLE, ErrorClass
from quantum_circuit_env.cli import app
from quantum_circuit_env.evals.ingest.formats import FORMATS
from quantum_circuit_env.evals.metrics import METRICS
from quantum_circuit_env.evals.stats.values import Flag
from support.evaluation_docs import PAGE, examples, pairs, pairs_of, printed, write_files

TEXT = PAGE.read_text("utf-8")
PROSE = re.sub(r"^```.*?^```$", "", TEXT, flags=re.MULTILINE | re.DOTALL)


class Played(NamedTuple):
    """What came of the example: each command's output, the tables of `compare`, the files of the runs."""

    outputs: dict[str, str]
    comparison: str
    files: set[str]


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Played:
    folder = tmp_path_factory.mktemp("example")
    write_files(TEXT, folder)
    outputs = {each.command: printed(each.command, folder) for each in examples(TEXT)}
    files = {path.name for path in folder.glob("outputs/[fa]*/*")}
    return Played(outputs, (folder / "outputs/first/compare.md").read_text("utf-8"), files)


def table(*header: str) -> list[list[str]]:
    """Cells of the body of the one table with this header; code cells without their backticks."""
    lines = TEXT.splitlines()
    tables = [list(group) for is_row, group in groupby(lines, lambda line: line.startswith("|")) if is_row]
    (found,) = [rows for rows in tables if _cells(rows[0]) == list(header)]
    return [_cells(row) for row in found[2:]]


def _cells(row: str) -> list[str]:
    return [re.sub("^`(.*)`$", r"\1", cell.strip()) for cell in row.strip().strip("|").split("|")]


def test_the_example_prints_what_is_shown(example: Played) -> None:
    shown = {each.command: each.shown for each in examples(TEXT) if each.shown is not None}
    assert [command.split()[1] for command in shown] == ["evaluate", "compare", "power", "rescore"]
    # `python tests/support/evaluation_docs.py` writes the page's blocks anew.
    assert shown == {command: example.outputs[command] for command in shown}


def test_a_run_that_is_whole_is_resumed_without_playing(example: Played) -> None:
    begun = next(iter(example.outputs))
    assert example.outputs[f"{begun} --resume"] == example.outputs[begun]


def test_the_pairs_are_those_of_the_comparison(example: Played) -> None:
    assert pairs(TEXT) == pairs_of(example.comparison)


def test_numbers_in_the_text_are_those_of_the_example(example: Played) -> None:
    printed_or_shown = set(numbers("\n".join((*example.outputs.values(), example.comparison))))
    told = numbers(PROSE.replace(pairs(TEXT), ""))
    assert len(told) > 10
    assert set(told) <= printed_or_shown


def numbers(text: str) -> list[str]:
    """Numbers with three decimals or more, which nobody sets by hand, and ranks with their intervals."""
    return re.findall(r"(?<![\d.])\d\.\d{3,}(?!\d)|\d \(\d to \d\)", text)


def test_every_column_of_a_comparison_is_explained(example: Played) -> None:
    headers = re.findall(r"^\| (.*) \|\n\| --- ", example.comparison, re.MULTILINE)
    columns = {column for header in headers for column in header.split(" | ")} - {"agent", "a", "b"}
    assert len(columns) > 25
    explained = re.sub(r"[*`]", "", PROSE.replace(pairs(TEXT), "")).lower()
    names = {column.removesuffix(" of normalised score").lower() for column in columns}
    assert {name for name in names if name not in explained} == set()


def test_the_metrics_are_listed() -> None:
    assert {name for _, name, _ in table("number", "--metric", "what it is") if name} == set(METRICS)


def test_the_classes_of_turns_are_listed() -> None:
    named = [name for name, _ in table("class of a turn", "what it was")]
    assert named == [each.value for each in reversed(ErrorClass)]
    assert "Only the first four are actions" in TEXT
    assert {ErrorClass(name) for name in named[4:]} == UNUSABLE | {ErrorClass.API_ERROR}


def test_the_flags_are_listed() -> None:
    named = [name.replace(" ", "_") for name, _ in table("flag", "what to know")]
    assert named == [flag.value for flag in Flag]


def test_the_formats_are_listed() -> None:
    listed = TEXT.partition("The formats are ")[2].partition(", which is CSV")[0]
    assert set(re.findall("`([a-z-]+)`", listed)) == set(FORMATS)


def test_the_commands_exist() -> None:
    commands = {command.callback.__name__ for command in app.registered_commands if command.callback}
    named = {cell.split()[1] for cell, _ in table("command", "what it does")}
    assert named <= commands
    assert {each.command.split()[1] for each in examples(TEXT)} <= named


@pytest.mark.parametrize(
    ("block", "module"),
    [(r"^```python\n(.*?)^```$", "harness.py"), (r"^```bash key\n(inspect .*?)^```$", "inspect_task.py")],
)
def test_other_programs_are_told_what_the_modules_say(block: str, module: str) -> None:
    (shown,) = re.findall(block, TEXT, re.MULTILINE | re.DOTALL)
    source = (Path(evals.__file__).parent / module).read_text("utf-8")
    assert [line for line in shown.splitlines() if line not in source] == []


def test_the_files_of_a_run_are_listed(example: Played) -> None:
    listed = {name for cell, _ in table("file", "what it holds") for name in cell.split("`, `")}
    assert listed - example.files == {"turns.jsonl.zst"}
    assert example.files <= listed
