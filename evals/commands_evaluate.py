"""The command `evaluate`: plays agents on tasks and stores every episode."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from quantum_circuit_env.evals.counting import counted
from quantum_circuit_env.evals.folders import named_folder
from quantum_circuit_env.evals.usage import UsageError

if TYPE_CHECKING:
    from quantum_circuit_env.agents.interrupts import Interrupts
    from quantum_circuit_env.evals.configuration import Config
    from quantum_circuit_env.evals.records import Episode

_SPLIT: Final = "test"
_SEEDS: Final = 200
_FEWEST: Final = 20
"""Seeds below which intervals hold less often than they promise; docs/evaluation.md has the measurements."""

_SIGNIFICANT_FROM: Final = 6
"""Seeds from which on the sign-flip test can reach 0.05: the smallest p is 2 / 2**n."""

_TITLE: Final = "means, with 95 % intervals for other seeds of the tier"


def evaluate(
    agents: Annotated[
        list[str], typer.Option("--agent", metavar="SPEC", help="Who plays, e.g. beam:width=64; repeatable.")
    ],
    out: Annotated[
        Path,
        typer.Option(
            parser=named_folder, metavar="PATH", help="Folder of the run: run.json and episodes.jsonl."
        ),
    ],
    tiers: Annotated[str, typer.Option(help="Tiers, separated by commas.")] = "easy,medium,hard",
    split: Annotated[str | None, typer.Option(help="Split of the seeds.", show_default="test")] = None,
    seeds: Annotated[
        int | None, typer.Option(min=1, help="So many seeds, the split's first ones.", show_default="200")
    ] = None,
    seed_list: Annotated[
        str | None, typer.Option(help="These seeds, of no split, e.g. 0-9,42.", show_default=False)
    ] = None,
    samples: Annotated[int, typer.Option(min=1, help="Episodes of an agent on a seed.")] = 1,
    turns: Annotated[int, typer.Option(min=1, max=150, help="Turns of an episode at most.")] = 150,
    url: Annotated[
        str | None, typer.Option(help="Play on this server by WebSocket.", show_default="in process")
    ] = None,
    in_process: Annotated[
        bool, typer.Option("--in-process", help="Play without a server, which gives the same results.")
    ] = False,
    executor: Annotated[
        str | None,
        typer.Option(help="process, async for models and servers, or ray.", show_default="what suits"),
    ] = None,
    workers: Annotated[
        int, typer.Option(min=1, max=256, help="Processes, or sessions at a time; changes no result.")
    ] = 2,
    rate: Annotated[
        float | None,
        typer.Option(help="Requests to the models' service a minute at most.", show_default="no bound"),
    ] = None,
    raw_replies: Annotated[
        bool, typer.Option("--raw-replies", help="Keep the models' replies word for word: turns.jsonl.zst.")
    ] = False,
    overall: Annotated[
        bool, typer.Option("--overall", help="Declare now that compare is to tell the mean over these tiers.")
    ] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the run of that folder; play what is missing.")
    ] = False,
) -> None:
    """Play agents on tasks; exit status 1 if episodes are incomplete, which --resume plays again."""
    from quantum_circuit_env.agents.interrupts import Interrupts

    interrupts = Interrupts()
    interrupts.install()
    from quantum_circuit_env.agents.endpoint import EndpointError
    from quantum_circuit_env.agents.hosting import HostError
    from quantum_circuit_env.agents.spec import AgentSpec, SpecError
    from quantum_circuit_env.evals.configuration import Config, EvaluateError, executor_named
    from quantum_circuit_env.evals.executors import ExecutorError
    from quantum_circuit_env.evals.provenance import CredentialError, InfoError
    from quantum_circuit_env.evals.raw_replies import RawRepliesError
    from quantum_circuit_env.evals.stats.extras import MissingExtraError
    from quantum_circuit_env.evals.store import StoreError

    if in_process and url is not None:
        raise UsageError("give --url or --in-process, not both")
    try:
        chosen_split, chosen = _seeds(split, seeds, seed_list)
        config = Config(
            agents=tuple(map(AgentSpec.parse, agents)),
            tiers=tuple(tiers.split(",")),
            seeds=chosen,
            split=chosen_split,
            samples=samples,
            turns=turns,
            url=url,
            executor=executor_named(executor),
            workers=workers,
            rate=rate,
            raw_replies=raw_replies,
            overall=overall,
        )
        _warn(len(chosen))
        incomplete = _play(config, out, resume=resume, interrupts=interrupts)
    except (
        CredentialError,
        EndpointError,
        ExecutorError,
        HostError,
        InfoError,
        MissingExtraError,
        RawRepliesError,
        SpecError,
        StoreError,
        EvaluateError,
    ) as error:
        raise UsageError(str(error)) from None
    if incomplete:
        sys.exit(1)


def _warn(seeds: int) -> None:
    """Say what so few seeds cannot tell."""
    if seeds < _SIGNIFICANT_FROM:
        told = f"cannot be significant: a paired test needs {_SIGNIFICANT_FROM} seeds at the least"
        typer.echo(f"note: {counted(seeds, 'seed')}: differences between agents {told}", err=True)
    if seeds < _FEWEST:
        told = f"intervals of fewer than {_FEWEST} seeds miss the mean far more often than they say"
        typer.echo(f"note: {counted(seeds, 'seed')}: {told}", err=True)


def _seeds(split: str | None, count: int | None, listed: str | None) -> tuple[str | None, tuple[int, ...]]:
    """Return the split and the seeds that the options name."""
    from quantum_circuit_env.evals.configuration import first_seeds, listed_seeds

    if listed is None:
        split = split or _SPLIT
        return split, first_seeds(split, _SEEDS if count is None else count)
    if split is not None or count is not None:
        raise UsageError("give --seed-list, or --split and --seeds")
    return None, listed_seeds(listed)


def _play(config: "Config", out: Path, *, resume: bool, interrupts: "Interrupts") -> int:
    """Play the run, print its summary, and return how many episodes are incomplete."""
    from quantum_circuit_env.evals.derived import write_derived
    from quantum_circuit_env.evals.display import ProgressDisplay
    from quantum_circuit_env.evals.evaluate import evaluate as play

    with ProgressDisplay(out) as display:
        run = play(config, out, resume=resume, watcher=display, interrupts=interrupts)
    incomplete = len(run.missing())
    _print_summary(run.episodes())
    for told in write_derived(run):
        typer.echo(told, err=True)
    if incomplete:
        are, them = ("is", "it") if incomplete == 1 else ("are", "them")
        told = f"{counted(incomplete, 'episode')} {are} incomplete"
        typer.echo(f"{told}: the same command with --resume plays {them} again", err=True)
    return incomplete


def _print_summary(episodes: "list[Episode]") -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Column, Table

    from quantum_circuit_env.evals.summary import summary, told

    names = ("n", "incomplete", "score", "normalised")
    numbers = (Column(name, justify="right", no_wrap=True) for name in names)
    agent = Column("agent", overflow="fold")
    table = Table("tier", agent, *numbers, title=_TITLE, title_justify="left", box=SIMPLE_HEAD)
    for row in summary(episodes):
        table.add_row(
            row.tier, row.agent_id, str(row.n), str(row.incomplete), told(row.score), told(row.norm_score)
        )
    Console().print(table, highlight=False, markup=False)
