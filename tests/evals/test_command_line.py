"""The command line around the commands: Ctrl-C at any time, folders without a name, numbers in words."""

import doctest
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from quantum_circuit_env import cli
from quantum_circuit_env.evals import counting
from quantum_circuit_env.evals.commands_evaluate import _warn

INTERRUPTED = """
import sys
from importlib.abc import MetaPathFinder

class CtrlC(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == sys.argv[1]:
            raise KeyboardInterrupt

sys.meta_path.insert(0, CtrlC())
from quantum_circuit_env.cli import main
"""


def run(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["quantum-circuit-env", *words])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert isinstance(ended.value.code, int)
    return ended.value.code


@pytest.mark.parametrize("module", ["typer", "quantum_circuit_env.evals.recordings"])
def test_ctrl_c_while_the_command_is_imported_is_quiet(module: str) -> None:
    ended = subprocess.run([sys.executable, "-c", INTERRUPTED, module], capture_output=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, b"", b"")


def test_ctrl_c_in_a_command_is_quiet(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "draw_text", interrupted)
    assert run(monkeypatch, "show", "--seed", "1") == 130
    assert "".join(capsys.readouterr()).strip() == ""


@pytest.mark.parametrize("name", ["", " "])
@pytest.mark.parametrize("command", [("evaluate", "--agent", "null"), ("rescore", "run")])
def test_a_folder_without_a_name_is_refused(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    command: tuple[str, ...],
    name: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(monkeypatch, *command, "--out", name) == 2
    assert "'--out': the name is empty; for the current folder give ." in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_one_is_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert doctest.testmod(counting) == (0, 1)
    _warn(1)
    told = capsys.readouterr().err
    assert told.count("note: 1 seed: ") == 2
    _warn(10)
    assert capsys.readouterr().err.startswith("note: 10 seeds: ")
