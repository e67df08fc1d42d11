"""Steps per CPU second of a server over `/ws`, at 1 to 512 sessions, and their latency: ours against an echo.

    uv run python benchmarks/websocket.py [--quick]

`echo_app.py` says what the echo environment is, and `plays.py` what is played on both: the same frames. One
client process holds all sessions, and each plays its next step when the last has been answered. All servers
run all the time. A round is a play in each session, of which every kind of server gets a fifth, and the next
kind the same fifth, and so on: what else the machine does falls on all of them. The server's CPU time, user
and system, is read around each fifth; resets are left out. Our last replies are checked against the game in
process. The client is one Python process, and with many sessions it, not the server, says how long a step
takes: its share of the clock is told.
"""

import argparse
import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles
from typing import Final

from hosting import OURS, Server, serving
from plays import STEPS, Play, plays
from websockets.asyncio.client import ClientConnection, connect

from qrewrite.tasks import TIERS

FORMS: Final = ("ours", "typed", "text")
"""What is compared: our server, and the echo environment with each of its observations."""
ECHO: Final = (OURS[0], str(Path(__file__).with_name("echo_app.py")))
OUR_COMMAND: Final = ("env", "MAX_CONCURRENT_ENVS=1024", *OURS)
PARTS: Final = 5
"""Parts of a play, between which the servers take turns."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How long is measured: seconds until a row's last round begins, and numbers of sessions."""

    seconds: float
    sessions: tuple[int, ...]


FULL: Final = Effort(seconds=4, sessions=(1, 16, 64, 256, 512))
QUICK: Final = Effort(seconds=1, sessions=(1, 16))

MEANING: Final = (
    "Steps per second of the server's CPU time, and the median and 99th percentile of a step's latency in "
    "ms, as its client sees it. *Echo* is an OpenEnv environment with an async step on the same uvicorn "
    "settings that answers with an observation of our class and of our mean length, made beforehand; "
    "*one string* is the same with an observation that is a single string, the least that OpenEnv can be "
    "made to serialise for a reply of this length. *Ratio* is ours to theirs: above 1 ours takes less CPU "
    "time; below 1 our latency is shorter. Ratios of CPU time are medians of those of neighbouring windows."
)


@dataclass(slots=True)
class Spent:
    """What a kind of server has needed: CPU seconds a step in each window, and the seconds of each step."""

    cpu: list[float] = field(default_factory=list)
    latencies: list[float] = field(default_factory=list)

    @property
    def steps_per_second(self) -> float:
        """Steps per CPU second."""
        return 1 / median(self.cpu)

    def times(self, other: "Spent") -> float:
        """Return how many times as many steps per CPU second these are as another's."""
        return median(its / mine for mine, its in zip(self.cpu, other.cpu, strict=True))

    @property
    def percentiles(self) -> tuple[float, float]:
        """The median and the 99th percentile of the latencies, in ms."""
        cuts = quantiles(self.latencies, n=100)
        return cuts[49] * 1e3, cuts[98] * 1e3


class Player:
    """Sessions of one kind on one server, each with a play."""

    def __init__(self, form: str, server: Server, sockets: list[ClientConnection], parts: list[Play]) -> None:
        self._server, self._sockets, self._parts = server, sockets, parts
        self._ours = form == "ours"
        extra = {} if self._ours else {"form": form}
        self._resets = [play.reset(**extra) for play in parts]
        self._frames = [play.steps() for play in parts]
        self._last: list[str] = []
        self.spent = Spent()

    async def reset(self) -> None:
        """Begin all plays anew; nothing is counted."""
        await self._all([[reset] for reset in self._resets])

    async def play(self, first: int, end: int) -> None:
        """Play some of the steps in all sessions."""
        began = self._server.cpu_seconds()
        told = await self._all([frames[first:end] for frames in self._frames])
        cpu = self._server.cpu_seconds() - began
        self.spent.cpu.append(cpu / (len(told) * (end - first)))
        self.spent.latencies += [seconds for _, latencies in told for seconds in latencies]
        self._last = [answer for answer, _ in told]

    def check(self) -> None:
        """Hold our last replies against the game."""
        for answer, play in zip(self._last, self._parts, strict=True) if self._ours else ():
            seen = json.loads(answer)["data"]["observation"]
            if (seen["metadata"]["step"], seen["gate_count"]) != (len(play.actions), play.gate_count):
                raise SystemExit(
                    f"error: {play.task}, seed {play.seed} ended with {seen['gate_count']} gates"
                )

    async def _all(self, frames: list[list[str]]) -> list[tuple[str, list[float]]]:
        """Let each session send its frames, one after the other; return last answers and all latencies."""
        return await asyncio.gather(*map(_ask, self._sockets, frames))


async def _ask(socket: ClientConnection, frames: list[str]) -> tuple[str, list[float]]:
    answer, latencies = "", []
    for frame in frames:
        began = time.perf_counter()
        await socket.send(frame)
        answer = str(await socket.recv())
        latencies.append(time.perf_counter() - began)
        if not answer.startswith('{"type":"observation"'):
            raise SystemExit(f"error: {frame} was answered {answer[:200]}")
    return answer, latencies


@asynccontextmanager
async def players(servers: dict[str, Server], task: str, sessions: int) -> AsyncIterator[dict[str, Player]]:
    """Hold the sessions of each kind."""
    parts = plays(task, sessions)
    async with AsyncExitStack() as stack:
        found = {}
        for form, server in servers.items():
            url = f"ws://127.0.0.1:{server.port}/ws"
            sockets = [
                await stack.enter_async_context(
                    connect(url, proxy=None, compression=None, open_timeout=60, ping_interval=None)
                )
                for _ in range(sessions)
            ]
            found[form] = Player(form, server, sockets, parts)
        yield found


async def row(servers: dict[str, Server], task: str, sessions: int, effort: Effort) -> str:
    """Measure and return one line of the table."""
    began, client = time.monotonic(), time.process_time()
    async with players(servers, task, sessions) as playing:
        waited = time.monotonic()
        rounds = 0
        while not rounds or time.monotonic() - waited < effort.seconds:
            for player in playing.values():
                await player.reset()
            for part in range(PARTS):
                first, end = (STEPS[task] * number // PARTS for number in (part, part + 1))
                # Every kind is first as often as any other, nearly.
                turn = (rounds + part) % len(playing)
                for player in [*playing.values()][turn:] + [*playing.values()][:turn]:
                    await player.play(first, end)
            for player in playing.values():
                player.check()
            rounds += 1
    share = (time.process_time() - client) / (time.monotonic() - began)
    return _line(f"{task}, {sessions}", [player.spent for player in playing.values()], share)


def _line(name: str, spent: list[Spent], share: float) -> str:
    ours, *echoes = spent
    middle, late = ours.percentiles
    cells = [f"{ours.steps_per_second:,.0f}", f"{middle:.1f} / {late:.1f}"]
    for echo in echoes:
        its_middle, its_late = echo.percentiles
        cells += [
            f"{echo.steps_per_second:,.0f}",
            f"{ours.times(echo):.2f}",
            f"{its_middle:.1f} / {its_late:.1f}",
            f"{middle / its_middle:.2f} / {late / its_late:.2f}",
        ]
    return f"| {name} | {' | '.join(cells)} | {share:.0%} |"


async def rows(servers: dict[str, Server], effort: Effort) -> list[str]:
    """Measure and return all lines of the table."""
    return [await row(servers, task, sessions, effort) for task in TIERS for sessions in effort.sessions]


def report(effort: Effort = FULL) -> str:
    """Measure and return the table in Markdown, with what its figures are."""
    with serving(OUR_COMMAND) as ours, serving(ECHO) as echo:
        for server in (ours, echo):
            server.wait()
        lines = asyncio.run(rows({"ours": ours, "typed": echo, "text": echo}, effort))
    return "\n".join(
        [
            "| task, sessions | steps/s | p50 / p99 | echo | ratio | p50 / p99 | ratio "
            "| one string | ratio | p50 / p99 | ratio | client |",
            f"| --- | {' | '.join(['---:'] * 11)} |",
            *lines,
            "",
            f"{MEANING} *Client* is the share of the clock in which the one client process was busy.",
        ]
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="fewer sessions and rounds")
    print(report(QUICK if parser.parse_args().quick else FULL))


if __name__ == "__main__":
    main()
