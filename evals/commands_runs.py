"""The commands on stored runs that plan and check: `power` and `rescore`."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from quantum_circuit_env.evals.counting import counted
from quantum_circuit_env.evals.folders import named_folder
from quantum_circuit_env.evals.stored_runs import MetricName, json_text, open_runs, refusals_in_one_line
from quantum_circuit_env.evals.terminal import show_table
from quantum_circuit_env.evals.usage import UsageError

if TYPE_CHECKING:
    from quantum_circuit_env.evals.pilot import PairPlan
    from quantum_circuit_env.evals.rescore import FlipTable


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

    with refusals_in_one_line():
        found = planned(
            open_runs([pilot, *(more or [])]),
            delta=delta,
            n=n,
            metric=metric,
            alpha=alpha,
            chance=chance,
            comparisons=comparisons,
        )
    asked = f"a difference of {delta:g}" if delta is not None else counted(n or 0, "seed")
    title = f"{asked}: level {alpha:g}, chance {chance:g}, {counted(comparisons, 'comparison')}"
    columns = ("tier", "a", "b", "pilot seeds", "samples", "sd", "answer")
    show_table(title, columns, _plan_rows(found), names=3, prose=True)


def _plan_rows(found: "list[PairPlan]") -> Iterator[tuple[str, ...]]:
    for pair in found:
        for plan in pair.plans:
            answer = "nothing can be significant" if plan.seeds is None else counted(plan.seeds, "seed")
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
    with refusals_in_one_line():
        (stored,) = open_runs([run])
        table = graded(stored, out)
        (out / "flips.json").write_text(json_text(table.as_json()), encoding="utf-8", newline="\n")
    _show_flips(table)
    if table.edits:
        _show_edits(table)
        sys.exit(1)


def _show_edits(table: "FlipTable") -> None:
    rows = [
        (edit.agent, edit.tier, str(edit.seed), str(edit.sample), ", ".join(edit.fields))
        for edit in table.edits
    ]
    columns = ("agent", "tier", "seed", "sample", "fields")
    show_table("What does not follow from the actions", columns, rows, names=2, prose=True)
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
    show_table("What has changed", ("agent", "tier", "seed", "sample", "flip", "score"), rows, names=2)
    kinds = ("pass_to_fail", "fail_to_pass", "undecided")
    typer.echo(", ".join(f"{kind}: {table.flips(kind)}" for kind in kinds))
