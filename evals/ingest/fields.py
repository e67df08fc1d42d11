"""JSON of others, read strictly: every value is asked for by type, and an error says where it stood."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from quantum_circuit_env.evals.ingest.errors import IngestError, shown

_LARGEST: Final = 1e300

LARGEST_FILE: Final = 2**30
"""Bytes of a file, or of a member of a zip, that are read into memory at most."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file as it was read.

    Attributes:
        path: where it is.
        name: what messages and provenance call it: its path below the folder that was given, or its name.
        data: its bytes.
    """

    path: Path
    name: str
    data: bytes

    @classmethod
    def read(cls, path: Path, name: str | None = None) -> "Source":
        """Return the file at a path; IngestError if it cannot be read, is empty or is too large."""
        name = path.name if name is None else name
        try:
            size = path.stat().st_size
            if size > LARGEST_FILE:
                raise IngestError(name, "", f"{size} bytes are too many, at most {LARGEST_FILE} are read")
            data = path.read_bytes()
        except OSError as error:
            raise IngestError(name, "", f"cannot be read: {error.strerror}") from None
        if not data.strip():
            raise IngestError(name, "", "the file is empty")
        return cls(path, name, data)

    @property
    def sha256(self) -> str:
        """Digest of the bytes."""
        return hashlib.sha256(self.data).hexdigest()

    def beside(self, name: str) -> "Source | None":
        """Return the file of that name, or of that path below it, in the same folder, if there is one."""
        path = self.path.parent / name
        return Source.read(path, self.name[: -len(self.path.name)] + name) if path.is_file() else None

    def text(self) -> str:
        """Return the text; IngestError if it is no UTF-8."""
        try:
            return self.data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise IngestError(self.name, f"byte {error.start}", "is no UTF-8") from None

    def document(self) -> "Fields":
        """Return the JSON object that the file is."""
        return Fields(self.name, "", _parsed(self.name, "", self.text()))

    def documents(self) -> "list[Fields]":
        """Return the JSON objects of the list that the file is; there is at least one."""
        return Fields(self.name, "", {"list": _parsed(self.name, "", self.text())}).objects("list")

    def lines(self) -> "Iterator[Fields]":
        """Yield the JSON object of each line that is not blank; there is at least one."""
        # Not splitlines: JSON text may hold the other characters that it takes for ends of lines.
        for number, line in enumerate(self.text().split("\n"), start=1):
            if line.strip():
                yield Fields(self.name, f"line {number}", _parsed(self.name, f"line {number}", line))


@dataclass(frozen=True, slots=True)
class Fields:
    """A JSON object and where it stands.

    Every method raises IngestError for a key that is not there or has another type; those named `optional_…`
    give None for a key that is not there or is null.
    """

    file: str
    place: str
    values: Mapping[str, Any]

    def __post_init__(self) -> None:
        if not isinstance(self.values, Mapping):
            raise self.error(f"must be a JSON object, got {shown(self.values)}")

    def error(self, problem: str) -> IngestError:
        """Return an error that says where this object stands."""
        return IngestError(self.file, self.place, problem)

    def at(self, key: object) -> str:
        """Return the place of what is under a key, or under a path of keys."""
        return f"{self.place}, {key}" if self.place else str(key)

    def text(self, key: str) -> str:
        """Return text with something in it."""
        value = self._get(key)
        if not isinstance(value, str) or not value.strip():
            raise self._wrong(key, "text with something in it")
        return value

    def optional_text(self, key: str) -> str | None:
        """Return text, which may be empty, or None."""
        value = self.values.get(key)
        if value is not None and not isinstance(value, str):
            raise self._wrong(key, "text or null")
        return value

    def name(self, key: str) -> str:
        """Return text or an integer, as text: what suites name their tasks with."""
        value = self._get(key)
        return str(value) if isinstance(value, int) and not isinstance(value, bool) else self.text(key)

    def boolean(self, key: str) -> bool:
        """Return true or false; a number is neither."""
        value = self._get(key)
        if not isinstance(value, bool):
            raise self._wrong(key, "true or false")
        return value

    def optional_boolean(self, key: str) -> bool | None:
        """Return true, false or None."""
        return None if self.values.get(key) is None else self.boolean(key)

    def number(self, key: str) -> float:
        """Return a finite number; true and false are none."""
        value = self._get(key)
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < _LARGEST:
            raise self._wrong(key, "a finite number")
        return float(value)

    def whole(self, key: str) -> int:
        """Return an integer from 0."""
        value = self._get(key)
        if type(value) is not int or value < 0:
            raise self._wrong(key, "an integer from 0")
        return value

    def optional_whole(self, key: str) -> int | None:
        """Return an integer from 0, or None."""
        return None if self.values.get(key) is None else self.whole(key)

    def object(self, key: str) -> "Fields":
        """Return the object under a key."""
        return Fields(self.file, self.at(key), self._get(key))

    def optional_object(self, key: str) -> "Fields | None":
        """Return the object under a key, or None."""
        return None if self.values.get(key) is None else self.object(key)

    def objects(self, key: str) -> "list[Fields]":
        """Return the objects of the list under a key; there is at least one."""
        value = self._get(key)
        if not isinstance(value, list) or not value:
            raise self._wrong(key, "a list with something in it")
        return [Fields(self.file, self.at(f"{key}[{index}]"), item) for index, item in enumerate(value)]

    def digest(self) -> str:
        """Return a digest of the object, whatever the order of its keys."""
        return hashlib.sha256(canonical(self.values).encode()).hexdigest()

    def _get(self, key: str) -> Any:
        if key not in self.values:
            raise self.error(f"`{key}` is missing")
        return self.values[key]

    def _wrong(self, key: str, wanted: str) -> IngestError:
        return self.error(f"`{key}` must be {wanted}, got {shown(self._get(key))}")


def canonical(value: object) -> str:
    """Return JSON whose text does not depend on the order of keys."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def _parsed(file: str, place: str, text: str) -> Any:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise IngestError(file, place, f"the key {shown(twice)} is there twice")
        return found

    try:
        return json.loads(text, object_pairs_hook=unique)
    except json.JSONDecodeError as error:
        where = place or f"line {error.lineno}"
        raise IngestError(file, where, f"no JSON: {error.msg} at column {error.colno}") from None
    except IngestError:
        raise
    except (ValueError, RecursionError) as error:
        raise IngestError(file, place, f"no JSON that can be read: {error}") from None
