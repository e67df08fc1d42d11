"""`quantum-circuit-env`: thin commands over the packages."""

from typing import Annotated

import typer
from rich.console import Console
from rich.table import Column, Table

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)


@app.callback()
def _root() -> None:
    """Quantum Circuit Optimizer: what can be asked of the game without a server."""


@app.command()
def depth(
    seeds: Annotated[int, typer.Option(min=1, max=100_000, help="Seeds 0 … N-1 of each tier.")] = 200,
    workers: Annotated[int, typer.Option(min=1, max=64, help="Processes to spread the seeds over.")] = 2,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print a Markdown table.")] = False,
) -> None:
    """Measure how deep the generated circuits are: optima, greedy and random play, swaps."""
    # Imported here so that --help answers at once.
    from qrewrite.tasks import GAME_VERSION, TIERS
    from quantum_circuit_env.evals.depth import rows, samples

    columns = {}
    for task in TIERS:
        Console(stderr=True).print(f"{task}: {seeds} seeds …", highlight=False)
        columns[task] = rows(task, samples(task, range(seeds), workers=workers))
    title = f"{seeds} seeds, game version {GAME_VERSION}"
    lines = [(name, *(column[name] for column in columns.values())) for name in columns[next(iter(columns))]]
    if markdown:
        for line in ((title, *columns), ("---", *("---:" for _ in columns)), *lines):
            typer.echo(f"| {' | '.join(line)} |")
        return
    table = Table(title, *(Column(task, justify="right") for task in columns))
    for line in lines:
        table.add_row(*line)
    Console().print(table, highlight=False)


def main() -> None:
    """Run the command line."""
    app()


if __name__ == "__main__":
    main()
