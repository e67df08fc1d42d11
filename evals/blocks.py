"""Blocks of a Markdown file that a command writes, each between two comments that name it."""

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path


class BlockError(ValueError):
    """Raised for a file in which a block is missing, or is there more than once; says which and where."""


def replace_blocks(text: str, contents: Mapping[str, str]) -> str:
    """Return the text with what stands in the named blocks replaced, and all else as it was.

    A block is what stands between the lines `<!-- begin NAME -->` and `<!-- end NAME -->`.

    Raises:
        BlockError: one of the two lines is not there exactly once, they are in the wrong order, or another
            block begins between them.
    """
    for name, content in contents.items():
        begin, end = (f"<!-- {edge} {name} -->" for edge in ("begin", "end"))
        lines = text.split("\n")
        for marker in (begin, end):
            if lines.count(marker) != 1:
                raise BlockError(
                    f"the line {marker} must be there once, it is there {lines.count(marker)} times"
                )
        first, last = lines.index(begin), lines.index(end)
        if last < first:
            raise BlockError(f"{end} comes before {begin}")
        if any(line.startswith(("<!-- begin ", "<!-- end ")) for line in lines[first + 1 : last]):
            raise BlockError(f"another block begins or ends between {begin} and {end}")
        text = "\n".join([*lines[: first + 1], *content.strip("\n").split("\n"), *lines[last:]])
    return text


def rewrite(path: Path, contents: Mapping[str, str]) -> None:
    """Replace blocks of a file; it is never seen half written, and stays as it was when that fails."""
    put(path, replace_blocks(path.read_text(encoding="utf-8"), contents))


def put(path: Path, text: str) -> None:
    """Put a text in a file's place as a whole, or not at all; a file that is there keeps its mode."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        Path(name).chmod(path.stat().st_mode if path.exists() else 0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
