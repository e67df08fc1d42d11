"""The run folder of ingested samples: `samples.jsonl`, and `ingest.json` which says where they come from."""

import hashlib
import json
import os
import platform
from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from quantum_circuit_env.evals.ingest.batch import Options
from quantum_circuit_env.evals.ingest.errors import IngestError
from quantum_circuit_env.evals.ingest.fields import Source
from quantum_circuit_env.evals.ingest.formats import Ingested
from quantum_circuit_env.evals.ingest.records import RecordError, SampleRecord

SAMPLES: Final = "samples.jsonl"
PROVENANCE: Final = "ingest.json"
KIND: Final = "ingest"
SCHEMA: Final = 1

_RUN: Final = "run.json"
"""What a run of `evaluate` has; its module needs more than can be imported here at once."""


def write(folder: Path, name: str, options: Options, ingested: Ingested) -> None:
    """Write what was read in the format `name` into a new or empty folder.

    `ingest.json` is written last: a folder that has it is complete. It holds names and digests of files, no
    paths of this machine.

    Raises:
        IngestError: if the folder has something in it, or cannot be written.
    """
    lines = "".join(record.to_json() + "\n" for record in ingested.records).encode()
    provenance = json.dumps(_provenance(name, options, ingested, lines), indent=2) + "\n"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise IngestError(
                str(folder), "", "the folder has something in it: samples go into one of their own"
            )
        _put(folder / SAMPLES, lines)
        _put(folder / PROVENANCE, provenance.encode())
    except OSError as error:
        raise IngestError(str(folder), "", f"cannot be written: {error.strerror}") from None


def read(folder: Path) -> tuple[SampleRecord, ...]:
    """Return the samples of a run folder.

    Raises:
        IngestError: if it is none, is of another schema, or its samples are not those that were written.
    """
    _refuse_others(folder)
    run = Source.read(folder / PROVENANCE).document()
    if run.text("kind") != KIND or run.whole("schema") != SCHEMA:
        raise run.error(f"`kind` must be {KIND!r} and `schema` {SCHEMA}: ingest the files again")
    samples = Source.read(folder / SAMPLES)
    if samples.sha256 != run.text("samples_sha256"):
        raise IngestError(SAMPLES, "", f"is not what {PROVENANCE} says it is: ingest the files again")
    return tuple(_records(samples))


def _refuse_others(folder: Path) -> None:
    """Say of a folder without ingested samples what it is."""
    if is_ingested(folder):
        return
    if not folder.exists():
        problem = "there is no such folder"
    elif (folder / _RUN).is_file():
        problem = "is a run of `evaluate`, whose agents `quantum-circuit-env compare` compares"
    else:
        problem = f"holds no ingested samples: there is no {PROVENANCE} in it; `ingest` makes such folders"
    raise IngestError(str(folder), "", problem)


def is_ingested(folder: Path) -> bool:
    """Whether a folder is a run folder of ingested samples."""
    return (folder / PROVENANCE).is_file()


def _records(samples: Source) -> Iterable[SampleRecord]:
    for number, line in enumerate(samples.text().splitlines(), start=1):
        try:
            yield SampleRecord.from_json(line)
        except RecordError as error:
            raise IngestError(samples.name, f"line {number}", str(error)) from None


def _provenance(name: str, options: Options, ingested: Ingested, lines: bytes) -> Mapping[str, Any]:
    files = [*ingested.sources, *((sidecar, 0) for sidecar in ingested.sidecars)]
    return {
        "kind": KIND,
        "schema": SCHEMA,
        "format": name,
        "options": {
            "agent": options.agent,
            "suite": options.suite,
            "evaluator": options.evaluator,
            "metric": options.metric,
            "map": dict(options.columns),
            "sequential": options.sequential,
            "allow_missing": options.allow_missing,
        },
        "files": [
            {"name": file.name, "sha256": file.sha256, "bytes": len(file.data), "samples": count}
            for file, count in files
        ],
        "suites": _suites(ingested.records),
        "missing": list(ingested.missing),
        "samples_sha256": hashlib.sha256(lines).hexdigest(),
        "created_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "package_version": version("openenv-quantum-circuit-env"),
        "python": platform.python_version(),
    }


def _suites(records: Iterable[SampleRecord]) -> dict[str, Any]:
    members: dict[str, list[SampleRecord]] = defaultdict(list)
    for record in records:
        members[record.suite].append(record)
    return {
        suite: {
            "agents": sorted({record.agent_id for record in own}),
            "tasks": len({record.task for record in own}),
            "samples": len(own),
            "evaluators": sorted({record.evaluator_revision for record in own}),
            "flags": sorted({flag for record in own for flag in record.flags}),
        }
        for suite, own in sorted(members.items())
    }


def _put(path: Path, data: bytes) -> None:
    """Write a file so that it is there whole or not at all."""
    part = path.with_name(f".{path.name}.part")
    with part.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)
