"""The worked example of docs/evaluation.md: its commands, what they print, and what the page shows of it.

Run as a script, it plays the example and writes what came of it into the page:

    python tests/support/evaluation_docs.py
"""

import io
import os
import re
import shlex
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import chdir, contextmanager, redirect_stdout
from pathlib import Path
from typing import Final, NamedTuple
from unittest import mock

import pytest

from quantum_circuit_env.cli import main

PAGE: Final = Path(__file__).parents[2] / "docs" / "evaluation.md"

_COMMAND: Final = re.compile(r"^```bash\n(.*)\n```\n(?:\n```text\n((?:.*\n)*?)```\n)?", re.MULTILINE)
"""A command, and what the page shows of its output, if it does; not the blocks that say `bash key`."""

_FILE: Final = re.compile(r"^```csv (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_PAIRS: Final = re.compile(r"(<!-- begin pairs -->\n)(.*?)(<!-- end pairs -->\n)", re.DOTALL)
_REVISION: Final = re.compile(r"\d+\.\d+\.\d+\+[0-9a-f]{12}")
"""It changes with every change of the evaluator, and the example does not."""

_HANDLED: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Example(NamedTuple):
    """A command of the page, and the output that it shows; None where it shows none."""

    command: str
    shown: str | None


def examples(page: str) -> list[Example]:
    """Return the commands that can be run without a key or a server, in their order."""
    return [Example(found[1], found[2]) for found in _COMMAND.finditer(page)]


def write_files(page: str, folder: Path) -> None:
    """Write the files that the page shows and its commands read."""
    for found in _FILE.finditer(page):
        (folder / found[1]).write_text(found[2], "utf-8", newline="\n")


def pairs(text: str) -> str:
    """Return the table between the page's markers."""
    found = _PAIRS.search(text)
    assert found is not None
    return found[2]


def pairs_of(comparison: str) -> str:
    """Return the table of pairs of a `compare.md`, which has one tier."""
    after = comparison.partition("pairs on shared seeds**\n")[2]
    found = re.search(r"^(?:\|.*\n)+", after, re.MULTILINE)
    assert found is not None
    return f"\n{found[0]}\n"


def printed(command: str, folder: Path) -> str:
    """Run a command in a folder; return what it prints, without revisions and blanks at the ends of lines."""
    program, *arguments = shlex.split(command)
    assert program == "quantum-circuit-env"
    output = io.StringIO()
    with (
        chdir(folder),
        mock.patch.dict(os.environ, {"COLUMNS": "112"}),
        mock.patch.object(sys, "argv", [program, *arguments]),
        _signals(),
        redirect_stdout(output),
        pytest.raises(SystemExit) as ended,
    ):
        main()
    assert not ended.value.code, f"{command}: exit status {ended.value.code}"
    text = "\n".join(map(str.rstrip, output.getvalue().splitlines())).strip("\n")
    return _REVISION.sub("…", f"{text}\n")


@contextmanager
def _signals() -> Iterator[None]:
    """Give the signals back that a command takes."""
    before = {number: signal.getsignal(number) for number in _HANDLED}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _rewrite() -> None:
    page = PAGE.read_text("utf-8")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_files(page, folder)

        def shown(found: re.Match[str]) -> str:
            output = printed(found[1], folder)
            block = "" if found[2] is None else f"\n```text\n{output}```\n"
            return f"```bash\n{found[1]}\n```\n{block}"

        page = _COMMAND.sub(shown, page)
        fresh = pairs_of((folder / "outputs/first/compare.md").read_text("utf-8"))
    page = _PAIRS.sub(lambda found: f"{found[1]}{fresh}{found[3]}", page)
    PAGE.write_text(page, "utf-8", newline="\n")


if __name__ == "__main__":
    _rewrite()
