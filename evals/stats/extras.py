"""Libraries that only some commands need are imported by those, and a missing one is told in one line."""

from importlib import import_module
from typing import Any

DISTRIBUTION = "openenv-quantum-circuit-env"
"""What to install an extra of."""


class MissingExtraError(ImportError):
    """Raised when an optional library is not installed; says which command installs it."""

    def __init__(self, library: str, extra: str) -> None:
        super().__init__(f"{library} is not installed: pip install '{DISTRIBUTION}[{extra}]'", name=library)
        self.extra = extra


def require(module: str, *, extra: str) -> Any:
    """Return the imported module, such as `scipy.stats`, or raise a MissingExtraError."""
    library = module.partition(".")[0]
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != library:
            raise
        raise MissingExtraError(library, extra) from None
