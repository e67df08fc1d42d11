"""The folder that a command is told to write to."""

from pathlib import Path

import typer


def named_folder(text: str) -> Path:
    """Return the folder of that name; the empty name, which an unset variable leaves, is none.

    Raises:
        typer.BadParameter: for the empty name.
    """
    if not text.strip():
        raise typer.BadParameter("the name is empty; for the current folder give .")
    return Path(text)
