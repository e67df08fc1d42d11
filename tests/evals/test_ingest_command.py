"""The commands `ingest` and `suites`."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from quantum_circuit_env.evals.ingest import command
from quantum_circuit_env.evals.ingest.formats import FORMATS
from support.commands import run_wide
from support.samples import FIXTURES


def test_a_suite_is_read_and_compared(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    runs, out = tmp_path / "run", tmp_path / "suites.json"
    assert run_wide(monkeypatch, "ingest", FIXTURES / "arena", "--format", "arena", "--out", runs) == 0
    assert capsys.readouterr().out == f"14 samples of 3 files in {runs}\n"
    assert run_wide(monkeypatch, "suites", runs) == 2
    refused = capsys.readouterr().err
    assert refused.startswith("quantum-circuit-env: toy_suite has 2 files that do not say which evaluator")
    assert run_wide(monkeypatch, "suites", runs, "--trust-same-evaluator", "--out", out) == 0
    printed = capsys.readouterr().out
    assert "0.500 [0.333, 0.667]" in printed
    assert "toy_suite: pass@3, pairs" in printed
    assert len(json.loads(out.read_text())["pairs"]) == 2
    assert run_wide(monkeypatch, "suites", runs, "--side-by-side") == 0
    assert "pairs" not in capsys.readouterr().out


def test_columns_of_a_table_are_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    told = ["--map", "problem=task", "--map", "try=sample", "--map", "model=agent_id", "--suite", "toy"]
    table = FIXTURES / "table" / "t.csv"
    assert run_wide(monkeypatch, "ingest", table, "--format", "table", "--out", tmp_path / "run", *told) == 0
    assert capsys.readouterr().out.startswith("4 samples of 1 file in")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--map", "a"], "--map must be COLUMN=FIELD, got 'a'"),
        (["--map", "=task"], "--map must be COLUMN=FIELD, got '=task'"),
        (["--map", "a=task", "--map", "b=task"], "--map names 'b' or 'task' twice"),
        (["--map", "a=task"], "t.csv, line 2: the column 'a' of --map is missing"),
    ],
)
def test_wrong_arguments_are_told_in_one_line(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    arguments: list[str],
    message: str,
) -> None:
    table, out = FIXTURES / "table" / "t.csv", tmp_path / "run"
    assert run_wide(monkeypatch, "ingest", table, "--format", "table", "--out", out, *arguments) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("quantum-circuit-env: ")
    assert message in line
    assert not out.exists()


def test_what_is_missing_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    samples = tmp_path / "a_results.jsonl"
    text = (FIXTURES / "humaneval" / "a_results.jsonl").read_text()
    samples.write_text("".join(text.splitlines(keepends=True)[:3]))
    told = ["--format", "humaneval", "--agent", "a", "--out", tmp_path / "run"]
    assert run_wide(monkeypatch, "ingest", samples, *told) == 2
    assert "--allow-missing goes on without them" in capsys.readouterr().err
    assert run_wide(monkeypatch, "ingest", samples, *told, "--allow-missing") == 0
    assert capsys.readouterr().err == "missing: a on Toy has 1 samples of task 'Toy/1' and 2 of others\n"


def test_the_help_names_the_formats() -> None:
    assert command.FORMATS.replace(" or ", ", ").split(", ") == list(FORMATS)


def test_ingest_needs_neither_openenv_nor_pyarrow_nor_scipy() -> None:
    code = (
        "import sys\n"
        "import quantum_circuit_env.evals.ingest.folder\n"
        "print({'openenv', 'pyarrow', 'scipy', 'statsmodels'} & set(sys.modules))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
