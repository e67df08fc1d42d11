"""Inputs that once were or could be dangerous, each in a small file that says why and what must come of it.

A file's input is `frame` or `text` (or `json`) as it is, `hex` for bytes, or `parts`, pieces with how often
each is repeated. What a fuzzer finds it leaves in `outputs/faults/` in this form, to be copied here.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

FOLDER: Final = Path(__file__).parents[1] / "faults" / "corpus"
FOUND: Final = Path("outputs/faults")
"""Where the input is kept with which a fuzzer has failed, as a file of the corpus but for its answer."""


def entries(kind: str) -> dict[str, dict[str, Any]]:
    """Return all entries of a folder of the corpus by their file's name."""
    files = sorted((FOLDER / kind).glob("*.json"))
    assert files, kind
    return {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in files}


def written(entry: dict[str, Any]) -> str | bytes:
    """Return the input of an entry."""
    if "hex" in entry:
        return bytes.fromhex(entry["hex"])
    if "parts" in entry:
        return "".join(piece * count for piece, count in entry["parts"])
    return str(next(entry[name] for name in ("frame", "text", "json") if name in entry))


@contextmanager
def kept(name: str, **entry: object) -> Iterator[None]:
    """Keep the input in FOUND if the test fails; the last one, which is the smallest, stays."""
    try:
        yield
    except BaseException:
        FOUND.mkdir(parents=True, exist_ok=True)
        (FOUND / f"{name}.json").write_text(json.dumps(entry, indent=2) + "\n")
        raise
