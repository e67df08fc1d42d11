"""Actions per CPU second of the server over `/ws`, sent one by one and in plans of several lengths.

    uv run python benchmarks/plans.py [--quick]

The same legal actions of the same episodes, on one server: a ratio says how many times as many actions a
second of the server's CPU time plays if they come in plans. The ways take turns; resets are left out.
"""

import argparse
import json
from collections.abc import Iterator
from random import Random
from statistics import median
from typing import Final

from hosting import OURS, Server, serving
from websockets.sync.client import ClientConnection, connect

from qrewrite.game import Action, Episode
from qrewrite.policies import play, random_legal
from qrewrite.tasks import TIERS, generate

LENGTHS: Final = (1, 5, 20, 150)
"""Actions of a plan; an episode's last plan may have fewer."""
EPISODES: Final = 20
ROUNDS: Final = 7


def actions_of(task: str, seed: int) -> list[Action]:
    """Return a whole episode of random legal play, no action of which is refused."""
    return list(play(Episode(generate(task, seed), par=TIERS[task].par), random_legal, Random(seed)))


def frames(actions: list[Action], length: int) -> Iterator[str]:
    """Return the frames that play the actions, `length` at a time."""
    for start in range(0, len(actions), length):
        first, *others = (action._asdict() for action in actions[start : start + length])
        plan = {**first, "then": others} if others else first
        yield json.dumps({"type": "step", "data": plan})


def cost(server: Server, socket: ClientConnection, task: str, length: int, episodes: int) -> float:
    """Return CPU seconds of the server for each action of some episodes."""
    spent, played = 0.0, 0
    for seed in range(episodes):
        actions = actions_of(task, seed)
        told = _ask(
            socket, json.dumps({"type": "reset", "data": {"task": task, "seed": seed, "plans": True}})
        )
        sent = list(frames(actions, length))
        began = server.cpu_seconds()
        for frame in sent:
            told = _ask(socket, frame)
        spent += server.cpu_seconds() - began
        played += len(actions)
        step = json.loads(told)["data"]["metadata"]["step"]
        if step != len(actions):
            raise SystemExit(f"error: {task}, seed {seed}: {step} of {len(actions)} actions were played")
    return spent / played


def row(server: Server, socket: ClientConnection, task: str, rounds: int, episodes: int) -> str:
    """Measure and return one line of the table."""
    measured = [
        {length: cost(server, socket, task, length, episodes) for length in LENGTHS} for _ in range(rounds)
    ]
    single = median(1 / costs[1] for costs in measured)
    ratios = (f"{median(costs[1] / costs[length] for costs in measured):.1f}x" for length in LENGTHS[1:])
    return f"| {task} | {single:,.0f} | {' | '.join(ratios)} |"


def report(rounds: int = ROUNDS, episodes: int = EPISODES) -> str:
    """Measure and return the table in Markdown, with what its figures are."""
    with serving(OURS) as server:
        server.wait()
        url = f"ws://127.0.0.1:{server.port}/ws"
        with connect(url, proxy=None, compression=None, open_timeout=60) as socket:
            for length in LENGTHS:
                cost(server, socket, "easy", length, episodes)
            lines = [row(server, socket, task, rounds, episodes) for task in TIERS]
    heads = " | ".join(f"plans of {length}" for length in LENGTHS[1:])
    return "\n".join(
        [
            f"| task | actions/s, one by one | {heads} |",
            f"| --- | ---: |{' ---: |' * len(LENGTHS[1:])}",
            *lines,
            "",
            "Actions per second of the server's CPU time, on one session, and how many times as many in "
            f"plans; random legal play to the end of {episodes} episodes, whose last plans are shorter. "
            f"Medians of {rounds} rounds, turn about.",
        ]
    )


def _ask(socket: ClientConnection, frame: str) -> str:
    socket.send(frame)
    told = str(socket.recv())
    if not told.startswith('{"type":"observation"'):
        raise SystemExit(f"error: {frame[:200]} was answered {told[:200]}")
    return told


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="fewer rounds and episodes")
    print(report(*((2, 5) if parser.parse_args().quick else (ROUNDS, EPISODES))))


if __name__ == "__main__":
    main()
