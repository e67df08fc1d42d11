"""`quantum-circuit-env`: thin commands over the packages."""

import sys
from typing import Final

_INTERRUPTED: Final = 130
"""128 and the number of SIGINT."""

try:
    from collections.abc import Iterable, Sequence
    from pathlib import Path
    from shutil import get_terminal_size
    from typing import Annotated

    import typer
    from rich.console import Console
    from rich.table import Column, Table

    from qrewrite.circuits import (
        MIN_WIDTH,
        Circuit,
        CircuitError,
        GameError,
        Panel,
        circuit_from_json,
        draw_panels,
        draw_text,
    )
    from quantum_circuit_env.evals.audit.command import audit
    from quantum_circuit_env.evals.commands_board import board
    from quantum_circuit_env.evals.commands_compare import compare, report
    from quantum_circuit_env.evals.commands_evaluate import evaluate
    from quantum_circuit_env.evals.commands_runs import power, rescore
    from quantum_circuit_env.evals.counting import counted
    from quantum_circuit_env.evals.ingest.command import ingest, suites
    from quantum_circuit_env.evals.recordings import record
    from quantum_circuit_env.evals.usage import UsageError
except KeyboardInterrupt:
    # They take a second or more, in which a user may change their mind.
    sys.exit(_INTERRUPTED)

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
app.command()(audit)
app.command()(evaluate)
app.command()(ingest)
app.command()(suites)
app.command()(compare)
app.command()(report)
app.command()(power)
app.command()(rescore)
app.command()(board)
app.command()(record)


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


@app.command()
def agents() -> None:
    """List the agents, and what can be chosen about each: `beam:width=64` is a beam of width 64."""
    from quantum_circuit_env.agents.spec import CATALOGUE

    table = Table("agent", "what it does", "options")
    for name, listing in CATALOGUE.items():
        table.add_row(name, listing.summary, "\n".join(map(str, listing.options)))
    Console().print(table, highlight=False, markup=False)


@app.command()
def show(
    task: Annotated[str | None, typer.Option(help="Task of the circuit, with --seed.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the circuit; alone, it chooses the task.")] = None,
    split: Annotated[str | None, typer.Option(help="Split of the circuit, with --index.")] = None,
    index: Annotated[int | None, typer.Option(help="Index of the circuit in its split.")] = None,
    file: Annotated[
        Path | None, typer.Option(help="JSON: num_qubits and circuit, or a list of gates.")
    ] = None,
    qubits: Annotated[int | None, typer.Option(help="Number of qubits, for a file with a list.")] = None,
    width: Annotated[
        int | None,
        typer.Option(help=f"Most characters a line, at least {MIN_WIDTH}.", show_default="the terminal's"),
    ] = None,
    ascii_only: Annotated[bool, typer.Option("--ascii", help="Draw with ASCII characters only.")] = False,
    svg: Annotated[
        Path | None, typer.Option(help="Draw into this file, as SVG; - is standard output.")
    ] = None,
    columns: Annotated[
        int | None, typer.Option(help="Most gates side by side in an SVG.", show_default="all")
    ] = None,
    solved: Annotated[bool, typer.Option("--solved", help="Draw what the best play leaves, too.")] = False,
) -> None:
    """Draw the circuit of a seed, of a split or of a file."""
    if svg is not None and (width is not None or ascii_only):
        raise UsageError("--width and --ascii are for text; an SVG takes --columns")
    if svg is None and columns is not None:
        raise UsageError("--columns is for --svg; text takes --width")
    title, circuit = _circuit(task, seed, split, index, file, qubits)
    pictures = [(title, circuit), *([_solved(circuit)] if solved else [])]
    if svg is not None:
        _write(svg, _as_svg(pictures, columns))
        if str(svg) != "-":
            typer.echo("\n".join(title for title, _ in pictures))
        return
    width = max(MIN_WIDTH, get_terminal_size().columns) if width is None else width
    text = _drawn(pictures, width, unicode=not ascii_only)
    if not _printable(text):
        text = _drawn(pictures, width, unicode=False)
    typer.echo(text)


def _circuit(
    task: str | None,
    seed: int | None,
    split: str | None,
    index: int | None,
    file: Path | None,
    qubits: int | None,
) -> tuple[str, Circuit]:
    """Return the title and the circuit that the options name."""
    from qrewrite.tasks import RANDOM, generate, task_at, tier_of

    options = (task, seed, split, index, file, qubits)
    given = sum(option is not None for option in options)
    if file is not None and given == 1 + (qubits is not None):
        circuit = _read(file, qubits)
        return _size(circuit), circuit
    if split is not None and index is not None and given == 2:
        task, seed = task_at(split, index)
    elif seed is None or given != 1 + (task is not None):
        raise UsageError("give --seed and perhaps --task, or --split and --index, or --file")
    task = tier_of(RANDOM if task is None else task, seed).name
    circuit = generate(task, seed)
    return f"{task}, seed {seed}: {_size(circuit)}", circuit


def _read(file: Path, qubits: int | None) -> Circuit:
    try:
        text = file.read_bytes()
    except OSError as error:
        raise CircuitError(f"cannot read {str(file)!r}: {error.strerror}") from None
    return circuit_from_json(text, num_qubits=qubits)


def _solved(circuit: Circuit) -> tuple[str, Circuit]:
    """Return the title and the circuit that the best known play leaves."""
    from qrewrite.game import Position
    from qrewrite.rules import RULES
    from qrewrite.solver import solve

    solution, position = solve(circuit), Position(circuit)
    for action in solution.best.actions:
        position.play(RULES[action.action_type], action.target_index)
    left = position.wired.circuit()
    how = "no play leaves fewer" if solution.proved else f"no play leaves fewer than {solution.bound}"
    return f"after {counted(len(solution.best.actions), 'action')}: {_size(left)}, and {how}", left


def _size(circuit: Circuit) -> str:
    return f"{counted(len(circuit), 'gate')} on {counted(circuit.num_qubits, 'qubit')}"


def _drawn(pictures: Iterable[tuple[str, Circuit]], width: int, *, unicode: bool) -> str:
    return "\n\n".join(
        f"{title}\n\n{draw_text(circuit, width=width, unicode=unicode)}" for title, circuit in pictures
    )


def _as_svg(pictures: Sequence[tuple[str, Circuit]], columns: int | None) -> str:
    """Return one SVG of all pictures; one that is alone has its title for screen readers only."""
    titles = [title for title, _ in pictures]
    panels = [Panel(circuit, title if len(pictures) > 1 else None) for title, circuit in pictures]
    return draw_panels(panels, title="; ".join(titles), columns=columns)


def _write(file: Path, text: str) -> None:
    content = f"{text}\n".encode()  # an SVG is UTF-8, whatever the terminal is
    if str(file) == "-":
        typer.echo(content, nl=False)
        return
    try:
        file.write_bytes(content)
    except OSError as error:
        raise UsageError(f"cannot write {str(file)!r}: {error.strerror}") from None


def _printable(text: str) -> bool:
    """Whether standard output has the characters; some terminals and pipes have ASCII only."""
    if sys.stdout is None:  # closed: nothing is printed at all
        return True
    try:
        text.encode(sys.stdout.encoding)
    except UnicodeEncodeError:
        return False
    return True


def main() -> None:
    """Run the command line; wrong arguments and a full disk are told in one line, with exit status 2.

    Ctrl-C ends it quietly, with the status that shells give to that.
    """
    try:
        sys.exit(app(sys.argv[1:] or ["--help"], standalone_mode=False))
    except UsageError as error:
        problem = error.format_message()
    except (GameError, OSError) as error:
        problem = str(error)
    except (KeyboardInterrupt, typer.Abort):
        sys.exit(_INTERRUPTED)
    typer.echo(f"quantum-circuit-env: {' '.join(problem.split())}", err=True)
    sys.exit(2)


if __name__ == "__main__":
    main()
