"""SIGTERM while 64 sessions play: what has come is answered, every socket is told, and the log is clean."""

import asyncio
import os
import signal
import subprocess
from pathlib import Path
from typing import Final

from websockets.exceptions import ConnectionClosed

from support.players import Player, connected
from support.servers import SERVER, running

SESSIONS: Final = 64
AHEAD: Final = 20
"""Steps that every other session has sent, unanswered, when the signal comes."""
RESTART: Final = 1012
"""What a server that goes away closes its sockets with, by IANA's registry of close codes."""


async def _play_until_closed(player: Player, frames: list[int]) -> int:
    """Play until the server closes the socket; return the code that it gives."""
    try:
        while True:
            await player.play(1)
            frames[0] += 1
    except ConnectionClosed:
        return await player.closed()


async def _end_in_mid_load(url: str, process: subprocess.Popen[bytes]) -> list[int]:
    """Send SIGTERM while all sessions play, and return the codes with which their sockets are closed."""
    players = [Player(await connected(url), number) for number in range(SESSIONS)]
    for player in players:
        await player.ask(*player.next_reset())
    ahead, others = players[::2], players[1::2]
    counts = [[0] for _ in others]
    tasks = [
        asyncio.ensure_future(_play_until_closed(player, count))
        for player, count in zip(others, counts, strict=True)
    ]
    while min(counts) < [3]:
        await asyncio.sleep(0.01)
    sent = [[player.next_step() for _ in range(AHEAD)] for player in ahead]
    for player, steps in zip(ahead, sent, strict=True):
        await player.send(steps)
    os.kill(process.pid, signal.SIGTERM)
    for player, steps in zip(ahead, sent, strict=True):
        await player.hear(steps)
    return [*[await player.closed() for player in ahead], *await asyncio.gather(*tasks)]


def test_sigterm_in_mid_load(tmp_path: Path) -> None:
    with running(tmp_path, SERVER) as (url, process):
        codes = asyncio.run(asyncio.wait_for(_end_in_mid_load(url, process), 120))
        assert process.wait(timeout=20) == 0
    assert codes == [RESTART] * SESSIONS
    logged = (tmp_path / "server.log").read_text().splitlines()
    assert [line for line in logged if "Traceback" in line] == []
