"""Memory is flat: neither an episode nor a closed session leaves anything behind."""

import asyncio
import json
from collections.abc import Callable, Sequence
from itertools import pairwise
from random import Random
from statistics import median
from typing import Final, NamedTuple

import pytest
from websockets.asyncio.client import ClientConnection

from support.holdings import Holdings, Served
from support.oracle import Oracle, same
from support.players import TASKS, connected

AT_ONCE: Final = 16
"""Sockets that reset at once, or are open at once."""
BURST: Final = 25
"""Resets that a socket sends before it reads the replies."""
WARM_UP: Final = 0.2
"""Share of the episodes or sessions that is not measured: caches fill."""
ROUNDS: Final = 5
"""Parts of the rest, after each of which is measured."""


class Growth(NamedTuple):
    """What the server holds more per episode or session, after the warm-up.

    Attributes:
        number: how many episodes or sessions were measured.
        blocks: blocks of Python's allocator for each.
        malloced: bytes of C's allocator for each.
        resident: resident bytes for each.
        before: what was held after the warm-up.
        after: what was held in the end.
    """

    number: int
    blocks: float
    malloced: float
    resident: float
    before: Holdings
    after: Holdings

    @classmethod
    def over(cls, held: Sequence[Holdings], number: int) -> "Growth":
        """Return the growth over rounds of equal length, between which this was held.

        The round of median growth counts: a cache that fills, and buffers that happen to find no room among
        what is free, are a step in one round; a leak is one in each.
        """

        def each(name: str) -> float:
            amounts = [getattr(one, name) for one in held]
            return median(later - earlier for earlier, later in pairwise(amounts)) * (len(held) - 1) / number

        return cls(number, each("blocks"), each("malloced"), each("resident"), held[0], held[-1])

    @property
    def flat(self) -> bool:
        """Whether nothing is left of an episode or a session.

        The smallest object that could be left is one block; what stays of a run as a whole, whatever its
        length, is some hundred blocks and some ten thousand bytes.
        """
        return self.blocks * self.number < BLOCKS and self.malloced * self.number < MALLOCED


BLOCKS: Final = 500
MALLOCED: Final = 100_000
RESIDENT: Final = 3 * 2**20
"""What a run as a whole may leave, whatever its length."""


def grown(served: Served, number: int, use: Callable[[int], object]) -> Growth:
    """Use the server `number` times, and measure what it holds after the warm-up and after the rest."""
    at_first = served.holdings()
    use(int(number * WARM_UP))
    held = [served.settled(at_first)]
    for _ in range(ROUNDS):
        use(int(number * (1 - WARM_UP)) // ROUNDS)
        held.append(served.settled(at_first))
    return Growth.over(held, int(number * (1 - WARM_UP)))


async def _reset_for_long(socket: ClientConnection, number: int, rng: Random) -> None:
    """Play `number` first positions on one socket, and compare one of each burst."""
    for first in range(0, number, BURST):
        starts = [
            {"task": rng.choice(TASKS), "seed": rng.randrange(2**32)}
            for _ in range(min(BURST, number - first))
        ]
        for start in starts:
            await socket.send(json.dumps({"type": "reset", "data": start}))
        replies = [await socket.recv() for _ in starts]
        assert all(str(reply).startswith('{"type":"observation"') for reply in replies)
        assert same(json.loads(replies[-1])["data"], Oracle().reset(starts[-1]))


def play_episodes(served: Served) -> Callable[[int], None]:
    """Return what starts so many episodes, easy and mixed, on a few sockets that are held meanwhile."""
    rng = Random(served.pid)

    async def play(number: int) -> None:
        sockets = [await connected(served.url) for _ in range(AT_ONCE)]
        try:
            await asyncio.gather(
                *(_reset_for_long(socket, number // AT_ONCE, Random(rng.random())) for socket in sockets)
            )
        finally:
            for socket in sockets:
                await socket.close()

    return lambda number: asyncio.run(play(number))


async def _visit(url: str, number: int) -> None:
    """Open a socket, play a little, and leave: with a goodbye, with a close frame, or without a word."""
    socket = await connected(url)
    twin, start = Oracle(), {"task": TASKS[number % len(TASKS)], "seed": number}
    await socket.send(json.dumps({"type": "reset", "data": start}))
    assert same(json.loads(await socket.recv())["data"], twin.reset(start))
    for index in range(3):
        await socket.send(json.dumps({"type": "step", "data": {"target_index": index, "action_type": 2}}))
        assert same(json.loads(await socket.recv())["data"], twin.step(index, 2))
    if number % 3 == 0:
        await socket.send('{"type": "close"}')
    elif number % 3 == 1:
        socket.transport.abort()
    await socket.close()


def visit(served: Served) -> Callable[[int], None]:
    """Return what opens and closes so many sockets, a few at once."""

    async def play(number: int) -> None:
        for first in range(0, number, AT_ONCE):
            last = min(first + AT_ONCE, number)
            await asyncio.gather(*(_visit(served.url, visitor) for visitor in range(first, last)))

    return lambda number: asyncio.run(play(number))


def test_episodes_leave_nothing(served: Served, pytestconfig: pytest.Config) -> None:
    # Caches of what circuits are made of take this long to fill, a little more with each episode.
    play_episodes(served)(5_000)
    growth = grown(served, pytestconfig.getoption("episodes"), play_episodes(served))
    print(growth)  # noqa: T201
    assert growth.flat, growth
    assert growth.resident * growth.number < RESIDENT, growth


def test_closed_sockets_leave_nothing(served: Served, pytestconfig: pytest.Config) -> None:
    growth = grown(served, pytestconfig.getoption("sockets"), visit(served))
    print(growth)  # noqa: T201
    assert growth.flat, growth
    assert growth.resident * growth.number < RESIDENT, growth
    assert growth.after.threads <= growth.before.threads


@pytest.mark.parametrize("use", [play_episodes, visit], ids=["episodes", "sockets"])
def test_a_leak_of_1_kb_each_would_be_seen(
    served: Served, use: Callable[[Served], Callable[[int], None]]
) -> None:
    served.leak(1_000)
    try:
        growth = grown(served, 200, use(served))
    finally:
        served.leak(0)
    print(growth)  # noqa: T201
    assert not growth.flat, growth
