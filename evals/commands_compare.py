"""The commands on stored runs: `compare`, `report`, `power` and `rescore`."""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import typer

from quantum_circuit_env.evals.counting import counted
from quantum_circuit_env.evals.folders import named_folder
from quantum_circuit_env.evals.usage import UsageError

if TYPE_CHECKING:
    from quantum_circuit_env.evals.comparison import Comparison
    from quantum_circuit_env.evals.pilot import PairPlan
    from quantum_circuit_env.evals.rescore import FlipTable
    from quantum_circuit_env.evals.store import RunFolder


# The help names the metrics without importing what they are of, so that it answers at once.
_METRICS = (
    "norm_score, score, score_without_bonus, compression, success_t1, success_t50, legacy_success, return "
    "or steps"
)

Runs = Annotated[list[Path], typer.Argument(help="Folders that `evaluate` or `rescore` has made.")]
MetricName = Annotated[str, typer.Option(help=f"What agents are compared by: {_METRICS}.")]
TargetName = Annotated[
    str, typer.Option(help="Intervals for other seeds of the tier (population), or a rerun (fixed).")
]
Alpha = Annotated[float, typer.Option(help="Chance of any false finding within a tier.")]
SideBySide = Annotated[
    bool, typer.Option("--side-by-side", help="Show runs that are not comparable, without tests and ranks.")
]
NoBaselines = Annotated[
    bool,
    typer.Option(
        "--no-baselines", help="Play no baselines (null, uniform, random-legal, cancel-first, optimal)."
    ),
]


@contextmanager
def _told() -> Iterator[None]:
    """Tell what cannot be done in one line, with exit status 2."""
    from quantum_circuit_env.evals.entrants import MixedRunsError
    from quantum_circuit_env.evals.executors import ExecutorError
    from quantum_circuit_env.evals.provenance import CredentialError
    from quantum_circuit_env.evals.rescore import RescoreError
    from quantum_circuit_env.evals.stats.extras import MissingExtraError
    from quantum_circuit_env.evals.stats.values import StatsError
    from quantum_circuit_env.evals.store import StoreError

    try:
        yield
    except (
        CredentialError,
        ExecutorError,
        MissingExtraError,
        MixedRunsError,
        RescoreError,
        StatsError,
        StoreError,
    ) as error:
        raise UsageError(str(error)) from None


def compare(
    runs: Runs,
    metric: MetricName = "norm_score",
    target: TargetName = "population",
    alpha: Alpha = 0.05,
    out: Annotated[
        Path, typer.Option(help="Where compare.json, compare.md, compare.html and baselines are written.")
    ] = Path(),
    side_by_side: SideBySide = False,
    no_baselines: NoBaselines = False,
) -> None:
    """Compare the agents of runs, tier by tier, on the seeds that they share, and with the baselines."""
    with _told():
        found = _compared(runs, metric, target, alpha, side_by_side, None if no_baselines else out)
        _write(found, out, "compare", ("json", "md", "html"))
    _show(found)


def report(
    runs: Runs,
    formats: Annotated[str, typer.Option("--format", help="html, md, json, or several with commas.")] = (
        "html,md"
    ),
    metric: MetricName = "norm_score",
    target: TargetName = "population",
    alpha: Alpha = 0.05,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder that the report is written to.", show_default="one run's own, or this one"),
    ] = None,
    side_by_side: SideBySide = False,
    no_baselines: NoBaselines = False,
) -> None:
    """Write runs up as one HTML file and Markdown tables, and renew what their folders derive from them."""
    from quantum_circuit_env.evals.derived import write_derived

    out = out or (runs[0] if len(runs) == 1 else Path())
    kinds = tuple(dict.fromkeys(kind.strip() for kind in formats.split(",")))
    if not set(kinds) <= {"html", "md", "json"}:
        raise UsageError(f"--format takes html, md and json, got {formats!r}")
    with _told():
        found = _compared(runs, metric, target, alpha, side_by_side, None if no_baselines else out)
        _write(found, out, "report", kinds)
        for run in _open(runs):
            for told in write_derived(run):
                typer.echo(told, err=True)


def _compared(
    paths: list[Path], metric: str, target: str, alpha: float, side_by_side: bool, out: Path | None
) -> "Comparison":
    """Compare runs; with an `out`, baselines are kept there."""
    from quantum_circuit_env.evals.compare import check
    from quantum_circuit_env.evals.compare import compare as compared

    if target not in ("population", "fixed"):
        raise UsageError(f"--target is population or fixed, got {target!r}")
    kind = cast("Literal['population', 'fixed']", target)
    runs = _open(paths)
    check(runs, metric=metric, alpha=alpha, side_by_side=side_by_side)
    baselines, why = ([], "side by side none is added") if side_by_side else _baselines(runs, out)
    return compared(
        runs,
        baselines=baselines,
        no_baselines=why,
        metric=metric,
        target=kind,
        alpha=alpha,
        side_by_side=side_by_side,
    )


def _baselines(runs: "Sequence[RunFolder]", out: Path | None) -> "tuple[list[RunFolder], str]":
    """Return the runs of the baselines that the runs do not have, or why there are none."""
    from quantum_circuit_env.evals.baseline_runs import baseline_runs, handled_signals
    from quantum_circuit_env.evals.baselines import hindrance, wanted

    asked = wanted(runs)
    why = "as --no-baselines says" if out is None else hindrance(runs)
    if out is None or why is not None or not asked:
        return [], why or ""
    with handled_signals() as interrupts:
        return baseline_runs(asked, out / "baselines", interrupts=interrupts), ""


def _open(paths: list[Path]) -> "list[RunFolder]":
    from quantum_circuit_env.evals.store import RunFolder

    return [RunFolder.open(path) for path in dict.fromkeys(paths)]


def _write(found: "Comparison", out: Path, stem: str, kinds: tuple[str, ...]) -> None:
    from quantum_circuit_env.evals.report import render_html, render_markdown

    texts = {
        "json": lambda: _json(found.as_json()),
        "md": lambda: render_markdown(found),
        "html": lambda: render_html(found),
    }
    written = {out / f"{stem}.{kind}": texts[kind]() for kind in kinds}
    out.mkdir(parents=True, exist_ok=True)
    for path, text in written.items():
        path.write_text(text, encoding="utf-8", newline="\n")
        typer.echo(f"{path} written", err=True)


def _json(value: Mapping[str, Any]) -> str:
    return f"{json.dumps(value, indent=2, allow_nan=False)}\n"


def _show(found: "Comparison") -> None:
    """Print who stands where, and the warnings."""
    from quantum_circuit_env.evals.metrics import METRICS
    from quantum_circuit_env.evals.report import words
    from quantum_circuit_env.evals.report.tables import letters

    for tier in found.tiers:
        rows = [
            (
                *(words.agent(own), letters(own.agent, tier), words.rank(own.rank), words.interval(own.mean)),
                *(words.mean(own.success_t1), words.mean(own.score), str(own.n_seeds), str(own.incomplete)),
            )
            for own in tier.standings
        ]
        columns = ("agent", "tied", "rank", METRICS[found.metric].title, "success@1", "score", "seeds")
        _print(f"{tier.tier}: {words.target(found)}", (*columns, "incomplete"), rows)
    for told in found.warnings:
        typer.echo(f"note: {told}", err=True)


def _print(title: str, columns: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> None:
    from rich.console import Console
    from rich.table import Column, Table
    from rich.text import Text

    table = Table(
        *(Column(name, overflow="fold") for name in columns), title=Text(title), title_justify="left"
    )
    for row in rows:
        table.add_row(*map(Text, row))
    Console().print(table, highlight=False, markup=False)


def power(
    pilot: Annotated[Path, typer.Option(help="Run of a pilot; others may follow.")],
    more: Annotated[list[Path] | None, typer.Argument(help="Further runs of the pilot.")] = None,
    delta: Annotated[float | None, typer.Option(help="True difference that is to be found.")] = None,
    n: Annotated[int | None, typer.Option(help="Or: seeds, to be told what they find.", min=1)] = None,
    metric: MetricName = "norm_score",
    alpha: Annotated[float, typer.Option(help="Level of the test.")] = 0.05,
    chance: Annotated[float, typer.Option("--power", help="Chance of finding the difference.")] = 0.8,
    comparisons: Annotated[int, typer.Option(help="Pairs that Holm's adjustment is for.", min=1)] = 1,
) -> None:
    """Tell from pilot runs how many seeds find a difference, or what a number of seeds finds."""
    from quantum_circuit_env.evals.pilot import power as planned

    with _told():
        found = planned(
            _open([pilot, *(more or [])]),
            delta=delta,
            n=n,
            metric=metric,
            alpha=alpha,
            chance=chance,
            comparisons=comparisons,
        )
    asked = f"a difference of {delta:g}" if delta is not None else f"{n} seeds"
    title = f"{asked}: level {alpha:g}, chance {chance:g}, {comparisons} comparisons"
    _print(title, ("tier", "a", "b", "pilot seeds", "samples", "sd", "answer"), _plan_rows(found))


def _plan_rows(found: "list[PairPlan]") -> Iterator[tuple[str, ...]]:
    for pair in found:
        for plan in pair.plans:
            answer = f"{plan.seeds} seeds" if plan.seeds is not None else "nothing can be significant"
            if plan.finds is not None:
                answer = f"finds {plan.finds:.3f}"
            names = (pair.tier, pair.a, pair.b, str(pair.pilot.n_seeds))
            yield (*names, str(plan.samples), f"{plan.sd:.3f}", answer)


def rescore(
    run: Annotated[Path, typer.Argument(help="Folder of the run.")],
    out: Annotated[
        Path,
        typer.Option(
            parser=named_folder, metavar="PATH", help="Folder of the new run, which holds none yet."
        ),
    ],
    evaluator: Annotated[str, typer.Option(help="Only the current one is there.")] = "CURRENT",
) -> None:
    """Grade the stored actions of a run by the current evaluator; nothing is played and no model asked.

    Exit status 1 if records were edited after they were played.
    """
    from quantum_circuit_env.evals.rescore import rescore as graded

    if evaluator.upper() != "CURRENT":
        raise UsageError(f"--evaluator is CURRENT, got {evaluator!r}")
    with _told():
        (stored,) = _open([run])
        table = graded(stored, out)
        (out / "flips.json").write_text(_json(table.as_json()), encoding="utf-8", newline="\n")
    _show_flips(table)
    if table.edits:
        _show_edits(table)
        sys.exit(1)


def _show_edits(table: "FlipTable") -> None:
    rows = [
        (edit.agent, edit.tier, str(edit.seed), str(edit.sample), ", ".join(edit.fields))
        for edit in table.edits
    ]
    _print("What does not follow from the actions", ("agent", "tier", "seed", "sample", "fields"), rows)
    told = f"{counted(len(rows), 'record')} edited after being played: the evaluator is the same"
    typer.echo(f"{told}, and a replay of the actions gives other values", err=True)


def _show_flips(table: "FlipTable") -> None:
    typer.echo(
        f"{counted(table.episodes, 'episode')} graded by {table.revision}, before by {table.revision_before}"
    )
    for told in table.differing:
        typer.echo(f"changed: {told}")
    if table.reread:
        typer.echo(table.reread.told())
    if table.not_graded:
        was, stay = ("was", "stays") if table.not_graded == 1 else ("were", "stay")
        typer.echo(f"{counted(table.not_graded, 'episode')} {was} incomplete and {stay} so")
    if not table.changes:
        typer.echo("every score is what it was")
        return
    rows = [
        (
            *(change.agent, change.tier, str(change.seed), str(change.sample)),
            *(change.flip or "score only", f"{change.score_before} → {change.score_after}"),
        )
        for change in table.changes
    ]
    _print("What has changed", ("agent", "tier", "seed", "sample", "flip", "score"), rows)
    kinds = ("pass_to_fail", "fail_to_pass", "undecided")
    typer.echo(", ".join(f"{kind}: {table.flips(kind)}" for kind in kinds))
