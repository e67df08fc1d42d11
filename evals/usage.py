"""What commands raise for arguments that cannot be, or that do not go together."""

from typing import cast

import typer

# Typer's versions differ in where usage errors are; this is the parent of the one that all of them export.
UsageError = cast("type[typer.BadParameter]", typer.BadParameter.__base__)
