"""The command `board`: plays the built-in agents and writes the baseline table and its pages anew."""

import difflib
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from quantum_circuit_env.evals.usage import UsageError

if TYPE_CHECKING:
    from quantum_circuit_env.evals.board import Asked

BLOCK: Final = "board"
"""Name of README's block."""


def board(
    seeds: Annotated[
        int, typer.Option(min=1, help="So many seeds of each tier, the split's first ones.")
    ] = 200,
    split: Annotated[str, typer.Option(help="Split of the seeds.")] = "test",
    turns: Annotated[
        str, typer.Option(help="Turns of an episode at most; a table for each number, separated by commas.")
    ] = "150,15",
    out: Annotated[
        Path, typer.Option(help="Where the runs are kept; what is there already is not played again.")
    ] = Path("outputs/board"),
    readme: Annotated[Path, typer.Option(help="File with the block that is written anew.")] = Path(
        "README.md"
    ),
    html: Annotated[
        Path, typer.Option(help="Page of the first table; the others' names end in their turns.")
    ] = Path("docs/baselines.html"),
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; show what would change, then with exit status 1.")
    ] = False,
    workers: Annotated[int, typer.Option(min=1, max=256, help="Processes; changes no result.")] = 2,
) -> None:
    """Play every built-in agent; write README's baseline table and the pages that go with it."""
    from quantum_circuit_env.evals.blocks import BlockError, put
    from quantum_circuit_env.evals.board import Asked
    from quantum_circuit_env.evals.configuration import EvaluateError
    from quantum_circuit_env.evals.executors import ExecutorError
    from quantum_circuit_env.evals.stats.extras import MissingExtraError
    from quantum_circuit_env.evals.store import StoreError

    try:
        asked = Asked(seeds, split, _numbers(turns))
        _prepare(readme, html)
        texts = _texts(asked, out, readme, html, workers)
    except (BlockError, EvaluateError, ExecutorError, MissingExtraError, StoreError) as error:
        raise UsageError(str(error)) from None
    if not check:
        for path, text in texts.items():
            put(path, text)
            typer.echo(f"{path} written", err=True)
        return
    # All of them are shown, whichever differs first.
    differing = [path for path, text in texts.items() if _differs(path, text)]
    if differing:
        sys.exit(1)


def _numbers(text: str) -> tuple[int, ...]:
    parts = text.split(",")
    if not all(part.isascii() and part.isdigit() and len(part) < 4 for part in parts):
        raise UsageError(f"--turns takes numbers in 1..150, separated by commas, got {text!r}")
    return tuple(map(int, parts))


def _prepare(readme: Path, html: Path) -> None:
    """Find out what is wrong with the files before anything is played."""
    from quantum_circuit_env.evals.blocks import BlockError, replace_blocks

    try:
        replace_blocks(readme.read_text("utf-8"), {BLOCK: ""})
    except BlockError as error:
        raise BlockError(f"{readme}: {error}") from None
    if not html.parent.is_dir():
        raise UsageError(f"--html: there is no folder {html.parent}")


def _texts(asked: "Asked", out: Path, readme: Path, html: Path, workers: int) -> Mapping[Path, str]:
    """Return what README and each page are to be."""
    from quantum_circuit_env.evals.baseline_runs import handled_signals
    from quantum_circuit_env.evals.blocks import replace_blocks
    from quantum_circuit_env.evals.board import played
    from quantum_circuit_env.evals.board_tables import readme_block
    from quantum_circuit_env.evals.report import render_html

    with handled_signals() as interrupts:
        found = played(asked, out, workers=workers, interrupts=interrupts)
    pages = [html, *(html.with_stem(f"{html.stem}-{turns}-turns") for turns in asked.turns[1:])]
    links = [Path(os.path.relpath(page, readme.parent)).as_posix() for page in pages]
    block = readme_block(asked, found, links)
    texts = {readme: replace_blocks(readme.read_text("utf-8"), {BLOCK: block})}
    for page, comparison in zip(pages, found, strict=True):
        title = f"Baselines with at most {comparison.turns[0]} turns, by {asked.command}"
        texts[page] = render_html(comparison, title)
    return texts


def _differs(path: Path, text: str) -> bool:
    """Show in what a file is not the text; a file that is not there is empty."""
    before = path.read_text("utf-8") if path.exists() else ""
    told = difflib.unified_diff(
        before.splitlines(), text.splitlines(), str(path), f"{path}, new", n=1, lineterm=""
    )
    lines = list(told)
    for line in lines:
        typer.echo(line)
    return bool(lines)
