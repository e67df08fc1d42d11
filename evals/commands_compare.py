"""The commands that compare stored runs: `compare` and `report`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, cast

import typer

from quantum_circuit_env.evals.stored_runs import MetricName, json_text, open_runs, refusals_in_one_line
from quantum_circuit_env.evals.usage import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quantum_circuit_env.evals.comparison import Comparison
    from quantum_circuit_env.evals.store import RunFolder


Runs = Annotated[list[Path], typer.Argument(help="Folders that `evaluate` or `rescore` has made.")]
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
    with refusals_in_one_line():
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
    with refusals_in_one_line():
        found = _compared(runs, metric, target, alpha, side_by_side, None if no_baselines else out)
        _write(found, out, "report", kinds)
        for run in open_runs(runs):
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
    runs = open_runs(paths)
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


def _write(found: "Comparison", out: Path, stem: str, kinds: tuple[str, ...]) -> None:
    from quantum_circuit_env.evals.report import render_html, render_markdown

    texts = {
        "json": lambda: json_text(found.as_json()),
        "md": lambda: render_markdown(found),
        "html": lambda: render_html(found),
    }
    written = {out / f"{stem}.{kind}": texts[kind]() for kind in kinds}
    for path, text in written.items():
        try:
            out.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
        except OSError as error:
            raise UsageError(f"{path} cannot be written: {error.strerror}") from None
        typer.echo(f"{path} written", err=True)


def _show(found: "Comparison") -> None:
    """Print who stands where, and the warnings."""
    from quantum_circuit_env.evals.metrics import METRICS
    from quantum_circuit_env.evals.report import words
    from quantum_circuit_env.evals.report.names import named
    from quantum_circuit_env.evals.report.tables import letters
    from quantum_circuit_env.evals.terminal import show_table

    shown = named(found)
    found = shown.comparison
    for tier in found.tiers:
        rows = [
            (
                *(
                    words.agent(own),
                    letters(own.agent, tier.tied),
                    words.rank(own.rank),
                    words.interval(own.mean),
                ),
                *(words.mean(own.success_t1), words.mean(own.score), str(own.n_seeds), str(own.incomplete)),
            )
            for own in tier.standings
        ]
        columns = ("agent", "tied", "rank", METRICS[found.metric].title, "success@1", "score", "seeds")
        show_table(f"{tier.tier}: {words.target(found)}", (*columns, "incomplete"), rows)
    for name, label in shown.labels.items():
        typer.echo(f"{name}: {label}")
    for told in found.warnings:
        typer.echo(f"note: {told}", err=True)
