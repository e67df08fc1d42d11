"""The oracle that `openenv.yaml` declares: shows that a server's task can be solved, by solving it.

    python validation/oracle.py --url http://127.0.0.1:8000 --task hard --seed 13

Plays the best plan that the solver finds. Exit status 0 if the server's score is the best of the solver's
front, within the declared tolerance; 1 if it is not; 2 if there is nothing to play or no server to play on.
"""

from pathlib import Path
from typing import Annotated, Any

import typer
import yaml

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)

DECLARATION = Path(__file__).parents[1] / "openenv.yaml"
PATIENCE = 60.0
"""Seconds to wait for the server's first answer."""


@app.command()
def main(
    url: Annotated[str, typer.Option(help="Address of the server.")] = "http://127.0.0.1:8000",
    task: Annotated[str | None, typer.Option(help="Task to solve, together with --seed.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of its circuit.")] = None,
    split: Annotated[str | None, typer.Option(help="Split to solve a task of, with --index.")] = None,
    index: Annotated[int | None, typer.Option(help="Index of the task in the split.")] = None,
) -> None:
    """Solve one task of a running server and compare its score with the best that the solver knows."""
    # Imported here so that --help answers at once.
    from websockets.exceptions import WebSocketException

    from quantum_circuit_env.agents.hosting import HostError, RemoteHost
    from quantum_circuit_env.evals.oracle import attempt

    what = {"task": task, "seed": seed, "split": split, "index": index}
    arguments: dict[str, Any] = {name: value for name, value in what.items() if value is not None}
    try:
        with RemoteHost(url, patience=PATIENCE).client() as client:
            found = attempt(client, **arguments)
    # The client reports the server's refusals as RuntimeError and malformed replies as ValueError.
    except (HostError, OSError, RuntimeError, ValueError, WebSocketException) as error:
        typer.echo(f"not solved: {error}", err=True)
        raise typer.Exit(2) from error
    plan, best, score = found.plan, found.best, found.score
    tolerance = yaml.safe_load(DECLARATION.read_text())["validation"]["reward"]["oracle_tolerance"]
    attained = abs(score - best) <= tolerance
    typer.echo(
        f"{'attained' if attained else 'MISSED'}: task {found.task}, seed {found.seed}: score {score:.4f}, "
        f"best {best:.4f}; {plan.left} gates left after {len(plan.actions)} actions, "
        f"{plan.swaps} of them swaps"
    )
    raise typer.Exit(0 if attained else 1)


if __name__ == "__main__":
    app()
