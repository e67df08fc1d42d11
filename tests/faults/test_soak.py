"""512 sessions at once: every reply is that of the same game played in this process."""

import asyncio
from collections import Counter
from typing import Final

import pytest

from qrewrite.rules import ActionResult
from support.holdings import Served
from support.players import Player, connected

SESSIONS: Final = 512
AT_ONCE: Final = 64
"""Sockets that are opened at once: fewer than a listener's backlog."""


async def players(url: str, count: int) -> list[Player]:
    """Return so many players, whose sockets are all open."""
    found: list[Player] = []
    for first in range(0, count, AT_ONCE):
        sockets = await asyncio.gather(*(connected(url) for _ in range(min(AT_ONCE, count - first))))
        found += [Player(socket, first + number) for number, socket in enumerate(sockets)]
    return found


def test_512_sessions_play_at_once_without_an_error(served: Served, pytestconfig: pytest.Config) -> None:
    frames = pytestconfig.getoption("soak_steps")
    before = served.holdings()

    async def play() -> Counter[str]:
        everybody = await players(served.url, SESSIONS)
        try:
            await asyncio.gather(*(player.play(frames) for player in everybody))
            # They are all still there.
            await asyncio.gather(*(player.ask(*player.next_reset()) for player in everybody))
        finally:
            await asyncio.gather(*(player.close() for player in everybody))
        return sum((player.seen for player in everybody), Counter())

    seen = asyncio.run(play())
    assert set(seen) >= {*ActionResult, "VALIDATION_ERROR", "INVALID_JSON", "UNKNOWN_TYPE", "EXECUTION_ERROR"}
    served.settled(before)


def test_sessions_that_were_mixed_up_would_be_found_out(served: Served) -> None:
    async def play() -> None:
        one, two = await players(served.url, 2)
        try:
            for player in (one, two):
                await player.ask(*player.next_reset())
            one.swap(two)
            for player in (one, two):
                await player.play(20)
        finally:
            await asyncio.gather(one.close(), two.close())

    with pytest.raises(AssertionError, match="player 0, frame"):
        asyncio.run(play())
