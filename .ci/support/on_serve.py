"""Serve two replicas on a local Ray node, play on both, kill one, and end.

Run as `on_serve.py FOLDER`, an empty one, in the repository; the package is installed with its extra `serve`,
and tests/ is on PYTHONPATH.
"""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Final

from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from claims import claim
from processes import descendants, listening_beyond
from support.evaluations import wait_until_ended
from support.players import Expected, Player, connected
from support.servers import environ, free_port

COMMAND: Final = (sys.executable, "examples/ray_serve.py")
READY: Final = "2 replicas of 256 sessions each serve on "

STARTS: Final = 4
"""Commands that may fail because the node does not start; each tries it several times."""

LONG: Final = 900.0
"""Seconds for the node and the replicas to start; generous, since this is about how and not how fast."""

SESSIONS: Final = 32

BAD: Final[tuple[tuple[str | bytes, str], ...]] = (
    ("{nonsense", "INVALID_JSON"),
    (b"\x00\xff", "INVALID_JSON"),
    ("[]", "VALIDATION_ERROR"),
    ('{"type": "fly"}', "UNKNOWN_TYPE"),
    ('{"type": "reset", "data": {"seed": -1}}', "VALIDATION_ERROR"),
)
"""Frames that must be refused, each with the code of the refusal."""

_DIRECT: Final = urllib.request.build_opener(urllib.request.ProxyHandler({}))
"""Opens URLs past any proxy."""


class Serving:
    """The command as it serves.

    Attributes:
        url: where.
        seen: all processes below it that were seen.
        beyond: addresses other than loopback on which they listened.
    """

    def __init__(self, folder: Path) -> None:
        self.seen: set[int] = set()
        self.beyond: set[str] = set()
        self._log = folder / "serve.log"
        for _ in range(STARTS):
            port = free_port()
            self.url = f"http://127.0.0.1:{port}"
            with self._log.open("w") as log:
                self.process = subprocess.Popen(
                    [*COMMAND, "--replicas", "2", "--port", str(port)],
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    env=environ(),
                )
            if self._ready():
                return
            wait_until_ended(self.seen)
        raise SystemExit(f"no node starts, {STARTS} commands tried it: {self.log()[-500:]}")

    def _ready(self) -> bool:
        """Return when it says that it serves, or False when its node does not start."""
        deadline = time.monotonic() + LONG
        while READY + self.url not in self.log():
            assert time.monotonic() < deadline, f"no server within {LONG} s: {self.log()}"
            self.look()
            if self.process.poll() is not None:
                assert "Ray does not start" in self.log(), self.log()
                return False
            # A node gives its agent 15 seconds to start: what looks on must take little.
            time.sleep(2)
        self.look()
        return True

    def log(self) -> str:
        """Return what the command has said."""
        return self._log.read_text()

    def look(self) -> None:
        """See which processes there are, and where they listen."""
        below = descendants(self.process.pid)
        self.seen |= below
        self.beyond |= listening_beyond(below)

    def get(self, path: str, body: bytes | None = None) -> tuple[int, bytes]:
        """Ask over HTTP; return status and body."""
        with _DIRECT.open(f"{self.url}{path}", body, timeout=60) as reply:
            return reply.status, reply.read()


class Seat(Player):
    """A player who knows which replica has accepted its socket."""

    def __init__(self, socket: ClientConnection, number: int) -> None:
        super().__init__(socket, number)
        assert socket.response is not None
        self.pid = int(socket.response.headers["x-replica"].rpartition(":")[2])

    @classmethod
    async def taken(cls, url: str, number: int) -> "Seat":
        """Open a socket."""
        return cls(await connected(url), number)

    async def play_episode(self) -> None:
        """Play one episode from its reset to its end, and compare each reply."""
        await self.ask(*self.next_reset())
        while (episode := self.twin.episode) and not episode.done:
            await self.ask(*self.next_step())

    async def ended(self) -> bool:
        """Whether the socket has been closed by the other side, which a step would find."""
        try:
            await self.ask(*self.next_step())
        except ConnectionClosed:
            return True
        return False

    async def closed(self) -> int | None:
        """Return the close code once the other side has closed the socket."""
        with suppress(ConnectionClosed):
            await self._socket.recv()
        return self._socket.close_code


def main(folder: Path) -> None:
    """Try all of it."""
    with claim("a wrong number of replicas is told in one line"):
        told = subprocess.run([*COMMAND, "--replicas", "none"], capture_output=True, text=True)
        assert told.stderr == "error: --replicas must be an integer in 1..1024, got 'none'\n", told
    serving = Serving(folder)
    try:
        print("ok: one command serves two replicas on a local node", flush=True)
        ask_over_http(serving)
        asyncio.run(play(serving))
    finally:
        serving.process.terminate()
        with suppress(subprocess.TimeoutExpired):
            serving.process.wait(timeout=120)
    with claim(f"SIGTERM ends it with status 0, and all of its {len(serving.seen)} processes"):
        assert serving.process.returncode == 0, serving.log()
        wait_until_ended(serving.seen)


def ask_over_http(serving: Serving) -> None:
    """Ask for what needs no session."""
    with claim(
        "/health, /schema, /metrics and the page at /web are there, and a cold POST /reset {} answers"
    ):
        assert json.loads(serving.get("/health")[1]) == {"status": "healthy"}
        assert {"action", "observation", "state"} <= set(json.loads(serving.get("/schema")[1]))
        assert b"\nquantum_circuit_workers 2.0\n" in serving.get("/metrics")[1]
        assert b"<html" in serving.get("/web")[1]
        status, answer = serving.get("/reset", b"{}")
        assert status == 200
        assert json.loads(answer)["observation"]["gate_count"] > 0


async def play(serving: Serving) -> None:
    """Play on both replicas at once, kill one, and play on."""
    seats = await asyncio.gather(*(Seat.taken(serving.url, number) for number in range(SESSIONS)))
    shares = Counter(seat.pid for seat in seats)
    with claim(f"{SESSIONS} sockets at once are on both replicas: {sorted(shares.values())}"):
        assert len(shares) == 2
        assert set(shares) <= serving.seen
    with claim("beyond the loopback interface nothing listens but each replica's own port for Ray's gRPC"):
        assert serving.beyond <= listening_beyond(set(shares)), serving.beyond
        assert len(serving.beyond) <= len(shares), serving.beyond
    with claim("each plays a whole episode, and every reply is that of the game in this process"):
        await asyncio.gather(*(seat.play_episode() for seat in seats))
    with claim("bad frames and bad arguments are refused, and every session plays on as if they were not"):
        for frame, code in BAD:
            await asyncio.gather(*(seat.ask(frame, Expected("error", code)) for seat in seats))
        await asyncio.gather(*(seat.play(60) for seat in seats))
    victim = Random(1).choice(sorted(shares))
    await asyncio.gather(*(seat.ask(*seat.next_reset()) for seat in seats))
    os.kill(victim, signal.SIGKILL)
    wait_until_ended([victim])
    with claim("a replica that is killed ends the sessions that it had accepted, and no others"):
        ended = await asyncio.gather(*(seat.ended() for seat in seats))
        assert ended == [seat.pid == victim for seat in seats], (ended, shares)
    living = [seat for seat in seats if seat.pid != victim]
    with claim("the others play on, and a new session finds a place"):
        living.append(await Seat.taken(serving.url, SESSIONS))
        assert living[-1].pid != victim
        await asyncio.gather(*(seat.play_episode() for seat in living))
    serving.look()
    serving.process.terminate()
    with claim("when the server ends, open sessions end with it"):
        await asyncio.gather(*(seat.ended() for seat in living))
        ended = await asyncio.gather(*(asyncio.wait_for(seat.closed(), 60) for seat in living))
        assert None not in ended
    print(f"their close codes: {dict(Counter(map(int, ended)))}", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
