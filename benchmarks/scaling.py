"""What more processes give, and what Ray Serve costs: steps over `/ws` on one machine, client included.

    uv run python benchmarks/scaling.py [--ray] [--task medium] [--sessions 64] [--seconds 3] [--windows 5]

One client process holds all sessions on each server, and each session plays its next step when the last has
been answered; windows of the servers take turns, and a ratio is the median of those of neighbouring windows.
The server's CPU time is that of all its processes. The client needs CPU, too, and shares the cores with the
server: steps per second of the clock say what this machine gives, and steps per second of the server's CPU
what a server costs.
"""

import argparse
import asyncio
import os
import sys
import time
from contextlib import AsyncExitStack, ExitStack
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple

from hosting import OURS, Server, serving
from plays import plays
from websockets.asyncio.client import ClientConnection, connect

RAY: Final = (sys.executable, str(Path(__file__).parents[1] / "examples" / "ray_serve.py"))
PATIENCE: Final = 600.0
"""Seconds until a server must answer: Ray takes a minute of two idle cores, and at times tries again."""
TICKS: Final = os.sysconf("SC_CLK_TCK")

Commands = dict[str, tuple[str, ...]]
PROCESSES: Final[Commands] = {"`server`": OURS, "`WORKERS=2 server`": ("env", "WORKERS=2", *OURS)}
REPLICAS: Final[Commands] = {"`server`": OURS, "Ray Serve, 2 replicas": (*RAY, "--replicas", "2")}


class Window(NamedTuple):
    """Steps per second in one window: by the clock, and by the CPU time of all of the server's processes."""

    clock: float
    cpu: float


def tree_cpu(pid: int) -> float:
    """Return the CPU seconds so far of a process and of all that live below it."""
    stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    below = [
        int(child)
        for children in Path(f"/proc/{pid}/task").glob("*/children")
        for child in children.read_text().split()
    ]
    return (int(stat[11]) + int(stat[12])) / TICKS + sum(map(tree_cpu, below))


async def play(socket: ClientConnection, frames: list[str], end: float) -> int:
    """Play the frames of an episode again and again until the time is over; return the number of steps."""
    steps = 0
    while time.monotonic() < end:
        for frame in frames:
            await socket.send(frame)
            answer = str(await socket.recv())
            if not answer.startswith('{"type":"observation"'):
                raise SystemExit(f"error: {frame} was answered {answer[:200]}")
        steps += len(frames) - 1
    return steps


async def window(
    server: Server, sockets: list[ClientConnection], frames: list[list[str]], span: float
) -> Window:
    """Play on all sockets for some seconds."""
    cpu, clock = tree_cpu(server.process.pid), time.monotonic()
    parts = zip(sockets, frames, strict=True)
    steps = sum(await asyncio.gather(*(play(*part, clock + span) for part in parts)))
    return Window(steps / (time.monotonic() - clock), steps / (tree_cpu(server.process.pid) - cpu))


async def compare(servers: dict[str, Server], given: argparse.Namespace) -> list[str]:
    """Measure servers in turn and return a line for each."""
    frames = [[each.reset(), *each.steps()] for each in plays(given.task, given.sessions)]
    async with AsyncExitStack() as stack:
        sockets = {
            name: [
                await stack.enter_async_context(
                    connect(f"ws://127.0.0.1:{server.port}/ws", proxy=None, compression=None, open_timeout=60)
                )
                for _ in frames
            ]
            for name, server in servers.items()
        }
        turns = [
            {name: await window(servers[name], sockets[name], frames, given.seconds) for name in servers}
            for _ in range(given.windows + 1)
        ][1:]
    first = next(iter(servers))
    return [
        f"| {name} | {median(turn[name].clock for turn in turns):,.0f} "
        f"| {median(turn[name].clock / turn[first].clock for turn in turns):.2f} "
        f"| {median(turn[name].cpu for turn in turns):,.0f} "
        f"| {median(turn[name].cpu / turn[first].cpu for turn in turns):.2f} "
        f"| {idle(servers[name]):.2f} |"
        for name in servers
    ]


def idle(server: Server, seconds: float = 5.0) -> float:
    """Return the cores that a server takes when nobody plays."""
    cpu = tree_cpu(server.process.pid)
    time.sleep(seconds)
    return (tree_cpu(server.process.pid) - cpu) / seconds


def report(commands: Commands, given: argparse.Namespace) -> str:
    """Start servers, measure them, and return the table in Markdown."""
    with ExitStack() as stack:
        servers = {name: stack.enter_context(serving(command)) for name, command in commands.items()}
        for server in servers.values():
            server.wait(PATIENCE)
        lines = asyncio.run(compare(servers, given))
    head = "| steps/s | ratio | steps/CPU-s of the server | ratio | idle, cores |"
    return "\n".join([f"| {given.task}, {given.sessions} sessions {head}", "| --- |" + " ---: |" * 5, *lines])


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--ray", action="store_true", help="Ray Serve and not WORKERS")
    parser.add_argument("--task", default="medium")
    parser.add_argument("--sessions", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--windows", type=int, default=5)
    given = parser.parse_args()
    print(report(REPLICAS if given.ray else PROCESSES, given))


if __name__ == "__main__":
    main()
