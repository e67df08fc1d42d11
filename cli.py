"""`quantum-circuit-env`: thin commands over the packages."""

from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)


@app.callback()
def _root() -> None:
    """Quantum Circuit Optimizer: what can be asked of the game without a server."""


@app.command()
def depth(
    seeds: Annotated[int, typer.Option(min=1, max=100_000, help="Seeds 0 … N-1 of each tier.")] = 200,
    workers: Annotated[int, typer.Option(min=1, help="Processes to spread the seeds over.")] = 2,
) -> None:
    """Measure how deep the generated circuits are: optima, greedy and random play, swaps."""
    # Imported here so that --help answers at once.
    from quantum_circuit_env.evals.depth import rows, samples

    from qrewrite.tasks import GAME_VERSION, TIERS

    columns = {}
    for task in TIERS:
        Console(stderr=True).print(f"{task}: {seeds} seeds …", highlight=False)
        columns[task] = rows(task, samples(task, range(seeds), workers=workers))
    table = Table(title=f"{seeds} seeds, game version {GAME_VERSION}")
    table.add_column("")
    for task in columns:
        table.add_column(task, justify="right")
    for name in columns[next(iter(columns))]:
        table.add_row(name, *(column[name] for column in columns.values()))
    Console().print(table, highlight=False)


def main() -> None:
    """Run the command line."""
    app()


if __name__ == "__main__":
    main()
