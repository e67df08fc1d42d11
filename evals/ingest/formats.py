"""The formats that can be read, and what holds of the results of all of them."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

from quantum_circuit_env.evals.ingest import (
    arena,
    evalplus,
    humaneval,
    inspect_log,
    lm_eval,
    openenv_collect,
    qbe,
    qceval,
    table,
    verifiers,
)
from quantum_circuit_env.evals.ingest.batch import Batch, Options, Reader
from quantum_circuit_env.evals.ingest.errors import IngestError, shown
from quantum_circuit_env.evals.ingest.fields import Source
from quantum_circuit_env.evals.ingest.records import NON_IID, SampleKey, SampleRecord


@dataclass(frozen=True, slots=True)
class Format:
    """One way in which others store their samples.

    Attributes:
        summary: what it is, in a few words.
        files: patterns of the names of its files, looked for in a folder at any depth.
        read: the reader of one of them.
        takes: those of the options `metric` and `columns` that mean something here.
    """

    summary: str
    files: tuple[str, ...]
    read: Reader
    takes: frozenset[str] = frozenset()


_METRIC: Final = frozenset({"metric"})

FORMATS: Final[Mapping[str, Format]] = MappingProxyType(
    {
        "arena": Format("Quantum Arena, results_*.json", ("results_*.json",), arena.read),
        "qbe": Format(
            "QuanBench+, results/FRAMEWORK/pass_at_K/*.json or *_attempts.json", ("*.json",), qbe.read
        ),
        "qceval": Format("QCircuitEval run, .json or .jsonl", ("*.json", "*.jsonl"), qceval.read),
        "humaneval": Format("human-eval, *_results.jsonl", ("*_results.jsonl",), humaneval.read),
        "evalplus": Format("EvalPlus, eval_results.json", ("*eval_results.json",), evalplus.read, _METRIC),
        "inspect": Format("Inspect log, .json or .eval", ("*.json", "*.eval"), inspect_log.read, _METRIC),
        "lm-eval": Format("lm-eval, samples_*.jsonl", ("samples_*.jsonl",), lm_eval.read, _METRIC),
        "verifiers": Format(
            "verifiers, results.jsonl or traces.jsonl",
            ("results.jsonl", "traces.jsonl"),
            verifiers.read,
            _METRIC,
        ),
        "openenv-collect": Format("openenv collect, results.jsonl", ("results.jsonl",), openenv_collect.read),
        "table": Format(
            "CSV, JSONL or Parquet with named columns",
            ("*.csv", "*.jsonl", "*.parquet"),
            table.read,
            frozenset({"columns"}),
        ),
    }
)


class Ingested(NamedTuple):
    """What was read.

    Attributes:
        records: sorted by key.
        sources: the files with samples and how many each held.
        sidecars: the files that were read beside them.
        missing: what is known to be missing, a line each; empty unless that was allowed.
    """

    records: tuple[SampleRecord, ...]
    sources: tuple[tuple[Source, int], ...]
    sidecars: tuple[Source, ...]
    missing: tuple[str, ...]


def ingest(path: Path, name: str, options: Options) -> Ingested:
    """Return the samples of a file, or of all files of the format in a folder.

    Raises:
        IngestError: for an unknown format, no file, a file that is not in the format, samples that are there
            twice, that are missing (unless `options.allow_missing`) or of which some have verdicts and others
            have none.
    """
    chosen = _format(name, options)
    batches = []
    for source in _sources(path, chosen):
        batch = Batch(source, options)
        chosen.read(batch)
        batches.append(batch.marked())
    records = sorted((record for batch in batches for record in batch.records), key=lambda record: record.key)
    missing = [line for batch in batches for line in batch.missing]
    _refuse_repeated(batches)
    _refuse_mixed(records)
    missing += _unequal(records)
    if missing and not options.allow_missing:
        more = f" (and {len(missing) - 1} more such)" if len(missing) > 1 else ""
        problem = f"samples are missing: {missing[0]}{more}; --allow-missing goes on without them"
        raise IngestError(path.name, "", problem)
    if not records:
        raise IngestError(path.name, "", "no sample has a verdict or a score")
    return Ingested(
        tuple(records),
        tuple((batch.source, len(batch.records)) for batch in batches),
        tuple(sidecar for batch in batches for sidecar in batch.sidecars),
        tuple(missing),
    )


def _format(name: str, options: Options) -> Format:
    if name not in FORMATS:
        raise IngestError("--format", "", f"must be one of {', '.join(FORMATS)}, got {shown(name)}")
    chosen = FORMATS[name]
    for option, flag, given in (
        ("metric", "--metric", options.metric),
        ("columns", "--map", options.columns),
    ):
        if given and option not in chosen.takes:
            able = [other for other in FORMATS if option in FORMATS[other].takes]
            raise IngestError(flag, "", f"means something with {', '.join(able)} only, not with {name}")
    unknown = [field for field in options.columns.values() if field not in table.FIELDS]
    if unknown:
        raise IngestError("--map", "", f"{unknown[0]!r} is no field: {', '.join(table.FIELDS)}")
    return chosen


def _sources(path: Path, chosen: Format) -> Iterator[Source]:
    if path.is_file():
        if not any(path.match(pattern) for pattern in chosen.files):
            ways = ", ".join(chosen.files)
            raise IngestError(path.name, "", f"files of this format are called {ways}")
        yield Source.read(path)
        return
    if not path.is_dir():
        raise IngestError(str(path), "", "there is no such file or folder")
    found = sorted({file for pattern in chosen.files for file in path.rglob(pattern) if file.is_file()})
    if not found:
        raise IngestError(path.name, "", f"no file in it is called {', '.join(chosen.files)}")
    for file in found:
        yield Source.read(file, file.relative_to(path).as_posix())


def _refuse_repeated(batches: Iterable[Batch]) -> None:
    first: dict[SampleKey, str] = {}
    for batch in batches:
        for record in batch.records:
            if record.key in first:
                what = ", ".join(f"{name}={shown(value)}" for name, value in record.key._asdict().items())
                also = first[record.key]
                where = "twice" if also == batch.source.name else f"there, and in {also}"
                raise IngestError(batch.source.name, "", f"the sample {what} is {where}: keep one of them")
            first[record.key] = batch.source.name


def _refuse_mixed(records: Iterable[SampleRecord]) -> None:
    """Refuse suites of which only some samples have what makes a metric."""
    for field in ("passed", "score"):
        having: dict[str, set[bool]] = defaultdict(set)
        for record in records:
            having[record.suite].add(getattr(record, field) is None)
        mixed = [suite for suite, kinds in having.items() if len(kinds) > 1]
        if mixed:
            raise IngestError(
                mixed[0], "", f"some samples have `{field}` and others do not: all or none must"
            )


def _unequal(records: Iterable[SampleRecord]) -> list[str]:
    """Return a line for each agent with fewer samples of one task of a suite than of another."""
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    ended: set[tuple[str, str, str]] = set()
    for record in records:
        counts[record.suite, record.agent_id][record.task] += 1
        # Attempts that see each other may end at the first that passes.
        if NON_IID in record.flags and record.passed:
            ended.add((record.suite, record.agent_id, record.task))
    lines = []
    for (suite, agent), tasks in counts.items():
        most = max(tasks.values())
        open_ones = {task: n for task, n in tasks.items() if (suite, agent, task) not in ended} or {"": most}
        task, fewest = min(open_ones.items(), key=lambda item: (item[1], item[0]))
        if fewest < most:
            lines.append(f"{agent} on {suite} has {fewest} samples of task {task!r} and {most} of others")
    return lines
