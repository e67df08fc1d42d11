"""A table, one row a sample: `.csv` (RFC 4180, with a header, UTF-8), `.jsonl` or `.parquet`.

The columns are named as the fields of a record, or their names are told (`--map problem=task`): `suite`,
`task`, `sample`, `agent_id`, `passed`, `score`, `valid`, `error_class`, `evaluator_revision`, `flags`.
Needed are `task` and one of `passed` and `score`; `agent_id` and `suite` may be said for the whole table.
Without `sample`, rows of one task are its samples, in an order of no meaning. Other columns are ignored. In
CSV an empty cell is null, and verdicts are `true` or `false` in any case: a 1 may be a score as well, so it
is refused. `flags` are separated by spaces.
"""

import csv
import io
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from quantum_circuit_env.evals.ingest.batch import Batch, named, numbered
from quantum_circuit_env.evals.ingest.errors import IngestError, shown
from quantum_circuit_env.evals.ingest.fields import Fields, Source
from quantum_circuit_env.evals.stats.extras import require

FIELDS: Final = (
    "suite",
    "task",
    "sample",
    "agent_id",
    "passed",
    "score",
    "valid",
    "error_class",
    "evaluator_revision",
    "flags",
)
_VERDICTS: Final = {"true": True, "false": False}
_NUMBER: Final = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_COUNT: Final = re.compile(r"\d{1,18}", re.ASCII)


def read(batch: Batch) -> None:
    """Read one table."""
    rows = [_renamed(row, batch.options.columns) for row in _ROWS[batch.source.path.suffix](batch.source)]
    if not rows:
        raise IngestError(batch.source.name, "", "the table has no rows")
    counted = ["sample" in row.values for row in rows]
    if any(counted) and not all(counted):
        raise rows[counted.index(False)].error("`sample` is missing here and not elsewhere")
    for task, number, row in _samples(rows, counted=all(counted)):
        suite = batch.options.suite or row.optional_text("suite")
        agent = batch.options.agent or row.optional_text("agent_id")
        batch.add(
            row,
            suite=named(suite, "--suite or a column `suite`", batch.source, "suite"),
            agent=named(agent, "--agent or a column `agent_id`", batch.source, "agent"),
            task=task,
            sample=number,
            passed=row.optional_boolean("passed"),
            score=None if row.values.get("score") is None else row.number("score"),
            valid=row.optional_boolean("valid"),
            error=row.optional_text("error_class"),
            evaluator=row.optional_text("evaluator_revision"),
            flags=(row.optional_text("flags") or "").split(),
        )


def _samples(rows: list[Fields], *, counted: bool) -> Iterator[tuple[str, int, Fields]]:
    if counted:
        return ((row.name("task"), row.whole("sample"), row) for row in rows)
    # Two agents of one table each have their own samples of a task.
    owners: dict[tuple[object, object], list[tuple[str, Fields]]] = {}
    for row in rows:
        owner = (row.values.get("suite"), row.values.get("agent_id"))
        owners.setdefault(owner, []).append((row.name("task"), row))
    return (sample for members in owners.values() for sample in numbered(members))


def _renamed(row: Fields, columns: Mapping[str, str]) -> Fields:
    """Return the row under the names of a record's fields, without its other columns."""
    absent = [column for column in columns if column not in row.values]
    if absent:
        raise row.error(f"the column {absent[0]!r} of --map is missing; there are {', '.join(row.values)}")
    kept = {
        name: value for name, value in row.values.items() if name in FIELDS and name not in columns.values()
    }
    values = kept | {field: row.values[column] for column, field in columns.items()}
    return Fields(row.file, row.place, {field: _typed(field, value) for field, value in values.items()})


def _typed(field: str, value: Any) -> Any:
    """Return what the text of a CSV cell stands for in a field; what stands for nothing there stays text."""
    if not isinstance(value, _Cell):
        return value
    if not value:
        return None
    if field in ("passed", "valid"):
        return _VERDICTS.get(value.lower(), str(value))
    if field == "sample" and _COUNT.fullmatch(value):
        return int(value)
    if field == "score" and _NUMBER.fullmatch(value):
        return float(value)
    return str(value)


class _Cell(str):
    """Text of a CSV cell, of which the field tells what it stands for."""

    __slots__ = ()


def _csv(source: Source) -> Iterator[Fields]:
    reader = csv.reader(io.StringIO(source.text(), newline=""), strict=True)
    try:
        header = next(reader)
        twice = [name for name in header if header.count(name) > 1]
        if twice:
            raise IngestError(source.name, "line 1", f"the column {twice[0]!r} is there twice")
        for cells in reader:
            place = f"line {reader.line_num}"
            if len(cells) != len(header):
                problem = f"{len(cells)} cells where the header has {len(header)}"
                raise IngestError(source.name, place, problem)
            yield Fields(source.name, place, dict(zip(header, map(_Cell, cells), strict=True)))
    except csv.Error as error:
        raise IngestError(source.name, f"line {reader.line_num}", f"no CSV: {error}") from None


def _parquet(source: Source) -> Iterator[Fields]:
    arrow, parquet = require("pyarrow", extra="eval"), require("pyarrow.parquet", extra="eval")
    try:
        rows = parquet.read_table(io.BytesIO(source.data)).to_pylist()
    # Beside its own it raises OSError for damaged files and ValueError for values that Python does not have.
    except (arrow.ArrowException, OSError, ValueError, OverflowError) as error:
        raise IngestError(source.name, "", f"no Parquet: {shown(str(error))}") from None
    for number, row in enumerate(rows, start=1):
        yield Fields(source.name, f"row {number}", row)


_ROWS: Final = {".csv": _csv, ".jsonl": Source.lines, ".parquet": _parquet}
