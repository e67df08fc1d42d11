"""The library needs Python and NumPy, nothing else; and its examples run."""

import ast
import doctest
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest

import qrewrite

MODULES = ["qrewrite", *sorted(found.name for found in walk_packages(qrewrite.__path__, "qrewrite."))]
SUPPORT = Path(__file__).parents[1] / "support"

LIST_IMPORTED = """
import sys
before = set(sys.modules)
import {module}
print(*sorted(sys.modules.keys() - before))
"""


def imported_by(*modules: str) -> set[str]:
    """Top-level names that a new interpreter has imported once it has imported these."""
    code = LIST_IMPORTED.format(module=", ".join(modules))
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return {name.partition(".")[0] for name in done.stdout.split()}


def test_the_library_imports_nothing_but_the_standard_library_and_numpy() -> None:
    third_party = imported_by(*MODULES) - sys.stdlib_module_names - {"qrewrite"}
    # NumPy's random numbers bring modules of Cython's making under names of their own.
    assert third_party - imported_by("numpy.random") == set()


@pytest.mark.parametrize("part", ["circuits", "rules", "game", "tasks"])
def test_the_game_itself_does_without_numpy(part: str) -> None:
    assert "numpy" not in imported_by(f"qrewrite.{part}")


def imports_in(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


@pytest.mark.parametrize("name", ["unitary", "naive_rules", "naive_traces"])
def test_oracles_of_the_suite_share_no_code_with_the_rules(name: str) -> None:
    allowed = {"qrewrite.circuits"} if name == "unitary" else set()
    ours = {module for module in imports_in(SUPPORT / f"{name}.py") if module.startswith("qrewrite")}
    assert ours <= allowed


def test_the_tableau_shares_no_code_with_the_rules() -> None:
    tableau = Path(qrewrite.__path__[0]) / "circuits" / "clifford.py"
    assert {module for module in imports_in(tableau) if "qrewrite" in module} == {"qrewrite.circuits.circuit"}


@pytest.mark.parametrize("module", MODULES)
def test_examples_in_docstrings_run(module: str) -> None:
    assert doctest.testmod(import_module(module)).failed == 0


def test_there_are_examples_to_run() -> None:
    assert sum(doctest.testmod(import_module(module)).attempted for module in MODULES) > 0
