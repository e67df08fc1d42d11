"""The commands `ingest`, which reads samples of other suites, and `suites`, which compares agents on them."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Final

import typer

from quantum_circuit_env.evals.counting import counted
from quantum_circuit_env.evals.usage import UsageError

# The help names the formats without importing their readers, so that it answers at once.
FORMATS: Final = (
    "arena, qbe, qceval, humaneval, evalplus, inspect, lm-eval, verifiers, openenv-collect or table"
)


def ingest(
    path: Annotated[Path, typer.Argument(help="A file of results, or a folder of them.")],
    kind: Annotated[str, typer.Option("--format", help=f"What they are: {FORMATS}.")],
    out: Annotated[Path, typer.Option(help="Folder to make, with samples.jsonl and ingest.json.")],
    agent: Annotated[str | None, typer.Option(help="The agent, for files that do not name it.")] = None,
    suite: Annotated[str | None, typer.Option(help="The suite, for files that do not name it.")] = None,
    evaluator: Annotated[
        str | None, typer.Option(help="Revision of the evaluator, for files that do not name it.")
    ] = None,
    metric: Annotated[str | None, typer.Option(help="Which score is meant, where there are several.")] = None,
    columns: Annotated[
        list[str] | None, typer.Option("--map", metavar="COLUMN=FIELD", help="What a table's column is.")
    ] = None,
    sequential: Annotated[
        bool, typer.Option("--sequential", help="Attempts saw the earlier ones: no pass@k.")
    ] = False,
    allow_missing: Annotated[
        bool, typer.Option("--allow-missing", help="Go on without the samples that are missing.")
    ] = False,
) -> None:
    """Read per-sample results of another suite into records that can be compared."""
    from quantum_circuit_env.evals.ingest import folder, formats
    from quantum_circuit_env.evals.ingest.batch import Options
    from quantum_circuit_env.evals.ingest.errors import IngestError, plain
    from quantum_circuit_env.evals.stats.extras import MissingExtraError

    try:
        options = Options(
            agent=agent,
            suite=suite,
            evaluator=evaluator,
            metric=metric,
            columns=_columns(columns or ()),
            sequential=sequential,
            allow_missing=allow_missing,
        )
        ingested = formats.ingest(path, kind, options)
        folder.write(out, kind, options, ingested)
    except (IngestError, MissingExtraError) as error:
        raise UsageError(str(error)) from None
    for line in ingested.missing:
        typer.echo(f"missing: {plain(line)}", err=True)
    samples, files = counted(len(ingested.records), "sample"), counted(len(ingested.sources), "file")
    typer.echo(f"{samples} of {files} in {out}")


def _columns(pairs: Iterable[str]) -> dict[str, str]:
    columns: dict[str, str] = {}
    for pair in pairs:
        column, equals, name = pair.rpartition("=")
        if not equals or not column or not name:
            raise UsageError(f"--map must be COLUMN=FIELD, got {pair!r}")
        if column in columns or name in columns.values():
            raise UsageError(f"--map names {column!r} or {name!r} twice")
        columns[column] = name
    return columns


def suites(
    runs: Annotated[list[Path], typer.Argument(help="Folders that `ingest` has made.")],
    out: Annotated[Path | None, typer.Option(help="Write the statistics to this JSON file, too.")] = None,
    html: Annotated[Path | None, typer.Option(help="Write the tables to this HTML file, too.")] = None,
    trust: Annotated[
        bool, typer.Option("--trust-same-evaluator", help="Take evaluators without a name for the same one.")
    ] = False,
    side_by_side: Annotated[
        bool, typer.Option("--side-by-side", help="Compare nothing, whoever judged it.")
    ] = False,
) -> None:
    """Compare the agents on ingested suites: pass@k, pairs, ties, and whether the suites rank them alike."""
    from quantum_circuit_env.evals.ingest import folder
    from quantum_circuit_env.evals.ingest.errors import IngestError, plain
    from quantum_circuit_env.evals.ingest.trust import MixedEvaluatorsError
    from quantum_circuit_env.evals.stats.extras import MissingExtraError
    from quantum_circuit_env.evals.suite_page import render_suites
    from quantum_circuit_env.evals.suite_tables import tables
    from quantum_circuit_env.evals.suites import RepeatedSampleError, suite_report
    from quantum_circuit_env.evals.terminal import show_table

    try:
        records = [record for run in runs for record in folder.read(run)]
        report = suite_report(records, trust_unknown=trust, side_by_side=side_by_side)
        found = list(tables(report))
        page = None if html is None else render_suites(found)
    except (IngestError, MissingExtraError, MixedEvaluatorsError, RepeatedSampleError) as error:
        raise UsageError(plain(str(error))) from None
    _write(out, json.dumps(report.as_json(), indent=2, allow_nan=False) + "\n")
    _write(html, page)
    for table in found:
        show_table(table.title, table.columns, table.rows, names=table.names, prose=table.prose)


def _write(path: Path | None, text: str | None) -> None:
    if path is None or text is None:
        return
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from None
