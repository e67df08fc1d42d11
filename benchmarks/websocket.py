"""Steps per CPU second of a server over `/ws`, at 1, 16 and 64 sessions: ours against an echo environment.

    uv run python benchmarks/websocket.py [--quick]

`echo_app.py` says what the echo environment is, and `plays.py` what is played on both: the same frames. One
client process holds all sessions, and each plays its next step when the last has been answered. Both servers
run all the time, and short windows alternate between them, so that what else the machine does falls on both;
a ratio is the median of those of neighbouring windows. A window is a number of rounds: all sessions reset,
then all play one play. The server's CPU time, user and system, is read between the two, so that steps are
counted with and without the resets that began them. Our replies are checked against the game in process.
"""

import argparse
import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple

from hosting import OURS, Server, serving
from plays import Play, plays
from websockets.asyncio.client import ClientConnection, connect

from qrewrite.tasks import TIERS

SESSIONS: Final = (1, 16, 64)
FORMS: Final = ("ours", "typed", "text")
"""What is compared: our server, and the echo environment with each of its observations."""
ECHO: Final = (OURS[0], str(Path(__file__).with_name("echo_app.py")))


@dataclass(frozen=True, slots=True)
class Effort:
    """How long is measured: windows of each kind, seconds until a window's last round begins, sessions."""

    windows: int
    seconds: float
    sessions: tuple[int, ...]


FULL: Final = Effort(windows=5, seconds=0.5, sessions=SESSIONS)
QUICK: Final = Effort(windows=3, seconds=0.2, sessions=(1, 16))

MEANING: Final = (
    "Steps per second of the server's CPU time. *Echo* is an OpenEnv environment with an async step on the "
    "same uvicorn settings that answers with an observation of our class and of our mean length, made "
    "beforehand; *one string* is the same with an observation that is a single string, the least that "
    "OpenEnv can be made to serialise for a reply of this length. A ratio above 1 means that ours takes less "
    "CPU time."
)


class Cost(NamedTuple):
    """CPU seconds of the server for each step: of the steps alone, and with the resets before them."""

    steps: float
    all: float


class Player:
    """Sessions of one kind on one server, each with a play."""

    def __init__(self, form: str, server: Server, sockets: list[ClientConnection], parts: list[Play]) -> None:
        self._server, self._sockets, self._parts = server, sockets, parts
        self._ours = form == "ours"
        extra = {} if self._ours else {"form": form}
        self._frames = [(play.reset(**extra), play.steps()) for play in parts]

    async def window(self, seconds: float) -> Cost:
        """Play rounds until the time is over, one at least."""
        resetting = stepping = 0.0
        steps = 0
        end = time.monotonic() + seconds
        while not steps or time.monotonic() < end:
            began = self._server.cpu_seconds()
            await self._all([[reset] for reset, _ in self._frames])
            ready = self._server.cpu_seconds()
            answers = await self._all([frames for _, frames in self._frames])
            stepping += self._server.cpu_seconds() - ready
            resetting += ready - began
            steps += sum(len(frames) for _, frames in self._frames)
            if self._ours:
                _check(answers, self._parts)
        return Cost(stepping / steps, (stepping + resetting) / steps)

    async def _all(self, frames: list[list[str]]) -> list[str]:
        """Let each session send its frames, one after the other; return the last answers."""
        return await asyncio.gather(*map(_ask, self._sockets, frames))


async def _ask(socket: ClientConnection, frames: list[str]) -> str:
    answer = ""
    for frame in frames:
        await socket.send(frame)
        answer = str(await socket.recv())
        if not answer.startswith('{"type":"observation"'):
            raise SystemExit(f"error: {frame} was answered {answer[:200]}")
    return answer


def _check(answers: list[str], parts: list[Play]) -> None:
    for answer, play in zip(answers, parts, strict=True):
        seen = json.loads(answer)["data"]["observation"]
        if (seen["metadata"]["step"], seen["gate_count"]) != (len(play.actions), play.gate_count):
            raise SystemExit(f"error: {play.task}, seed {play.seed} ended with {seen['gate_count']} gates")


@asynccontextmanager
async def players(servers: dict[str, Server], task: str, sessions: int) -> AsyncIterator[dict[str, Player]]:
    """Hold the sessions of each kind."""
    parts = plays(task, sessions)
    async with AsyncExitStack() as stack:
        found = {}
        for form, server in servers.items():
            url = f"ws://127.0.0.1:{server.port}/ws"
            sockets = [
                await stack.enter_async_context(connect(url, proxy=None, compression=None, open_timeout=60))
                for _ in range(sessions)
            ]
            found[form] = Player(form, server, sockets, parts)
        yield found


async def row(servers: dict[str, Server], task: str, sessions: int, effort: Effort) -> str:
    """Measure and return one line of the table."""
    async with players(servers, task, sessions) as playing:
        for player in playing.values():
            await player.window(0)
        windows = [
            {form: await player.window(effort.seconds) for form, player in playing.items()}
            for _ in range(effort.windows)
        ]

    def per_second(form: str) -> str:
        return f"{1 / median(window[form].steps for window in windows):,.0f}"

    def ratios(form: str) -> str:
        steps = median(window[form].steps / window["ours"].steps for window in windows)
        both = median(window[form].all / window["ours"].all for window in windows)
        return f"{steps:.2f} | {both:.2f}"

    return (
        f"| {task}, {sessions} | {per_second('ours')} | {per_second('typed')} | {ratios('typed')} "
        f"| {per_second('text')} | {ratios('text')} |"
    )


async def rows(servers: dict[str, Server], effort: Effort) -> list[str]:
    """Measure and return all lines of the table."""
    return [await row(servers, task, sessions, effort) for task in TIERS for sessions in effort.sessions]


def report(effort: Effort = FULL) -> str:
    """Measure and return the table in Markdown, with what its figures are."""
    with serving(OURS) as ours, serving(ECHO) as echo:
        for server in (ours, echo):
            server.wait()
        lines = asyncio.run(rows({"ours": ours, "typed": echo, "text": echo}, effort))
    return "\n".join(
        [
            "| task, sessions | steps/s | echo | ratio | with resets | one string | ratio | with resets |",
            "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
            *lines,
            "",
            f"{MEANING} Medians of {effort.windows} windows each, turn about.",
        ]
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="fewer sessions and windows")
    print(report(QUICK if parser.parse_args().quick else FULL))


if __name__ == "__main__":
    main()
