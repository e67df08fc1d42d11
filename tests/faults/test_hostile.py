"""Hostile clients while honest ones play on: nobody's reply changes, and what they held is let go of."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Final

import pytest

from support.holdings import Served
from support.hostile import (
    BINARY,
    CLOSE,
    CONTINUED,
    PING,
    PONG,
    TEXT,
    drop,
    ends,
    flood,
    frame,
    raw_connection,
)
from support.players import Player, connected
from support.sockets import opened_by_hand, session

HONEST: Final = 16
CAPACITY: Final = 512
PAUSE: Final = 0.05
"""Seconds between two rounds of the honest sessions."""
MIB: Final = 2**20
RESET: Final = b'{"type": "reset", "data": {"task": "hard", "seed": 1}}'
STEP: Final = b'{"type": "step", "data": {"target_index": 1, "action_type": 2}}'
HEAD: Final = b"GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"


class Honest:
    """Sessions that play on in a thread, each reply of which is compared."""

    def __init__(self, url: str) -> None:
        self._url, self._over, self._begun = url, threading.Event(), threading.Event()
        self._fault: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.played = 0

    def start(self) -> None:
        """Open the sockets and play; return when everybody plays."""
        self._thread.start()
        self._begun.wait(60)

    def stop(self) -> None:
        """Play a little more, close the sockets, and fail if any reply was wrong."""
        self._over.set()
        self._thread.join(120)
        assert not self._thread.is_alive()
        if self._fault is not None:
            raise self._fault
        assert self.played > 0

    def _run(self) -> None:
        try:
            asyncio.run(self._play())
        except BaseException as fault:  # noqa: BLE001 - it is raised where the test waits
            self._fault = fault
        finally:
            self._begun.set()

    async def _play(self) -> None:
        players = [Player(await connected(self._url), number) for number in range(HONEST)]
        self._begun.set()
        try:
            last = False
            while not last:
                last = self._over.is_set()
                await asyncio.gather(*(player.play(5) for player in players))
                self.played += 1
                # Most of the server's time is for the hostile ones.
                await asyncio.sleep(PAUSE)
        finally:
            await asyncio.gather(*(player.close() for player in players))


@contextmanager
def honest_play(served: Served) -> Iterator[None]:
    """Let honest sessions play meanwhile; in the end nothing must be held that was not held before."""
    before = served.holdings()
    honest = Honest(served.url)
    honest.start()
    try:
        yield
    finally:
        honest.stop()
    served.settled(before)
    with session(served.url) as one:
        one.reset(task="easy", seed=1)


HALVES: Final = {
    "nothing": b"",
    "half a request line": b"GET /ws HT",
    "half a handshake": HEAD,
    "half a body": b"POST /reset HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{",
    "half a chunk": b"POST /reset HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n{",
}
HALF_FRAMES: Final = {
    "nothing": b"",
    "half a head": b"\x81",
    "half a frame": frame(b"{", size=1_000),
    "half a message": frame(b'{"type": ', final=False),
    "half a large frame": frame(b"{", size=2**20),
}


def test_clients_that_hang_hold_up_nobody(served: Served) -> None:
    with honest_play(served), ExitStack() as stack:
        for half in HALVES.values():
            for _ in range(6):
                raw = stack.enter_context(raw_connection(served.url))
                raw.sendall(half)
        for half in HALF_FRAMES.values():
            for _ in range(6):
                raw = stack.enter_context(opened_by_hand(served.url))
                raw.sendall(frame(RESET) + half)
        with session(served.url) as one:
            for _ in range(50):
                one.reset(task="medium", seed=2)


def test_clients_that_drop_in_mid_step_leave_nothing(served: Served) -> None:
    with honest_play(served):
        for number in range(100):
            raw = opened_by_hand(served.url)
            raw.sendall(frame(RESET) + frame(STEP) * (number % 7) + frame(STEP)[: number % 9])
            drop(raw)


@pytest.mark.parametrize(
    ("piece", "clients"),
    [(frame(STEP), 4), (frame(b'{"type": "state"}'), 1), (frame(b"[]"), 1), (frame(b"x" * 125, PING), 2)],
    ids=["steps", "states", "garbage", "pings"],
)
def test_replies_that_nobody_reads_are_not_piled_up(served: Served, piece: bytes, clients: int) -> None:
    with honest_play(served), ExitStack() as stack:
        before = served.holdings()
        floods = [stack.enter_context(opened_by_hand(served.url)) for _ in range(clients)]
        for raw in floods:
            raw.sendall(frame(RESET))
            flood(raw, piece, 12 * MIB // clients, patience=0.5)
        after = served.holdings()
        # One reading of each socket, and what is on its way to be written.
        assert after.malloced - before.malloced < 4 * MIB
        assert after.resident - before.resident < 12 * MIB
        for raw in floods:
            drop(raw)


@pytest.mark.parametrize(
    ("start", "piece", "bound"),
    [
        (b"GET / HTTP/1.1\r\n", b"a: b\r\n", 24 * MIB),
        (b"POST /reset HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\n", b" ", 12 * MIB),
        (b"POST /reset HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n", 12 * MIB),
    ],
    ids=["headers", "a body", "tiny chunks"],
)
def test_a_request_without_an_end_is_not_piled_up(
    served: Served, start: bytes, piece: bytes, bound: int
) -> None:
    most = 24 * MIB
    with honest_play(served), raw_connection(served.url) as raw:
        before = served.holdings()
        raw.sendall(start)
        assert flood(raw, piece, most, patience=0.5) < most
        assert served.holdings().resident - before.resident < bound
        drop(raw)


GARBAGE: Final = {
    "bytes": b"\x00\xff\xfe" * 1_000,
    "a frame without a mask": frame(RESET, masked=False),
    "a reserved opcode": frame(b"", 0x3),
    "a reserved control opcode": frame(b"", 0xF),
    "reserved bits": bytes([0xF1, 0x80, 0, 0, 0, 0]),
    "a ping in parts": frame(b"x", PING, final=False),
    "a ping of 126 bytes": frame(b"x" * 126, PING),
    "a continuation of nothing": frame(b"x", CONTINUED),
    "a text in the midst of another": frame(b"x", TEXT, final=False) + frame(b"x", TEXT),
    "text that is not UTF-8": frame(b"\xff\xfe"),
    "a surrogate in UTF-8": frame(b"\xed\xa0\x80"),
    "UTF-8 cut off": frame("ä".encode()[:1]),
    "a close of one byte": frame(b"\x03", CLOSE),
    "a close with code 0": frame(b"\x00\x00", CLOSE),
    "a close with code 1005": frame(b"\x03\xed", CLOSE),
    "a close with code 65535": frame(b"\xff\xff", CLOSE),
    "a close whose reason is not UTF-8": frame(b"\x03\xe8\xff", CLOSE),
    "an ordinary close": frame(b"\x03\xe8", CLOSE),
    "two closes": frame(b"\x03\xe8", CLOSE) * 2,
    "a frame that tells of 2**63 bytes": frame(b"", size=2**63),
    "a frame that tells of 20 MiB": frame(b"x" * 1_000, size=20 * MIB),
}
"""What ends a socket, by RFC 6455."""


@pytest.mark.parametrize("reset", [False, True], ids=["at once", "in an episode"])
def test_what_is_no_websocket_ends_its_own_socket_alone(served: Served, reset: bool) -> None:
    with honest_play(served):
        for what, garbage in GARBAGE.items():
            with opened_by_hand(served.url) as raw:
                raw.sendall(frame(RESET) * reset + garbage)
                assert ends(raw), what


ODD: Final = {
    "an empty binary frame": frame(b"", BINARY),
    "a binary frame of 2 MiB": frame(bytes(2 * MIB), BINARY),
    "spaces of 2 MiB and one": frame(b" " * (2 * MIB + 1)),
    "lists of 2 MiB": frame(b"[" * (2 * MIB)),
    "a number of 2 MiB": frame(b"9" * (2 * MIB)),
    "thirty thousand fragments": frame(b"[", final=False)
    + frame(b"[", CONTINUED, final=False) * 30_000
    + frame(b"", CONTINUED),
    "pings between fragments": frame(b"{", final=False) + frame(b"", PING) + frame(b"", CONTINUED),
    "pongs that nobody asked for": frame(b"x", PONG) * 100 + frame(b"{"),
}
"""What is in order for a WebSocket and no message of ours: one error, and the session lives."""


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_what_is_no_message_gets_one_error_and_the_session_lives(served: Served, odd: bytes) -> None:
    with honest_play(served), opened_by_hand(served.url) as raw:
        raw.sendall(odd + frame(b'{"type": "state"}'))
        told = b""
        while b'{"type":"state"' not in told:
            piece = raw.recv(2**16)
            assert piece, told
            told += piece
        assert told.count(b'{"type": "error"') == 1, told


def test_a_frame_of_20_mib_ends_its_own_socket_alone(served: Served) -> None:
    with honest_play(served), opened_by_hand(served.url) as raw:
        flood(raw, frame(bytes(20 * MIB)), 20 * MIB)
        assert ends(raw)


def test_more_sockets_than_there_is_room_for(served: Served) -> None:
    with honest_play(served), ExitStack() as stack:
        for _ in range(CAPACITY - HONEST):
            stack.enter_context(opened_by_hand(served.url))
        for _ in range(40):
            with session(served.url) as one:
                refusal = one.hear()
            assert refusal["data"]["code"] == "CAPACITY_REACHED", refusal


def test_the_tests_would_see_a_wrong_reply(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    play: Callable[..., object] = Player.next_step

    def mistaken(player: Player) -> object:
        frame_, expected = play(player)  # type: ignore[misc]
        return frame_, expected._replace(data=expected.data | {"reward": 0.5})

    monkeypatch.setattr(Player, "next_step", mistaken)
    with pytest.raises(AssertionError, match="frame"), honest_play(served):
        pass
