"""Numeric test vectors that know which of their numbers were looked at."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PROSE = frozenset(
    {
        "checked_against",
        "ci95_how",
        "family",
        "formula",
        "how",
        "name",
        "normal_formula",
        "note",
        "rule",
        "sd_of_d",
        "why",
    }
)
"""Keys that explain numbers and are none."""


class Vector:
    """A JSON object or array whose leaves are remembered once they are read."""

    def __init__(self, data: Any, path: str = "", read: set[str] | None = None) -> None:
        self._data = data
        self._path = path
        self._read: set[str] = set() if read is None else read

    def __getitem__(self, key: str | int) -> Any:
        """The leaf, or the Vector of what is below."""
        found, path = self._data[key], f"{self._path}/{key}"
        if isinstance(found, dict | list):
            return Vector(found, path, self._read)
        self._read.add(path)
        return found

    def __iter__(self) -> Iterator[Any]:
        keys = self._data if isinstance(self._data, dict) else range(len(self._data))
        return (self[key] for key in keys)

    def items(self) -> Iterator[tuple[str, Any]]:
        return ((key, self[key]) for key in self._data)

    def all(self) -> Any:
        """All that is below, as plain data, and read."""
        self._read.update(leaves(self._data, self._path))
        return self._data

    def unread(self) -> set[str]:
        """Leaves that no one has read, prose excepted."""
        return set(leaves(self._data, self._path)) - self._read


def leaves(data: Any, path: str) -> Iterator[str]:
    if not isinstance(data, dict | list):
        yield path
        return
    for key, below in data.items() if isinstance(data, dict) else enumerate(data):
        if key not in PROSE:
            yield from leaves(below, f"{path}/{key}")


def load(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found
