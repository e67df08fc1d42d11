"""Clients that would have the process grow or wait for ever, against the smallest application there is."""

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
import uvicorn

from quantum_circuit_env.server.protocols import MAX_HEAD, MAX_UNREAD, BoundedHttp, BoundedWebSocket
from support.hostile import CONTINUED, PING, TEXT, ends, flood, frame, raw_connection
from support.servers import free_port
from support.sockets import opened_by_hand, session
from support.waiting import within

AT_A_TIME = 2**18
"""Bytes that an event loop reads from a socket at a time, at most."""


async def echo(scope: Any, receive: Any, send: Any) -> None:
    """Answer every request with ok, and every text with itself."""
    if scope["type"] == "http":
        while (await receive()).get("more_body", False):
            pass
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})
        return
    await receive()
    await send({"type": "websocket.accept"})
    while (event := await receive())["type"] == "websocket.receive":
        if event["text"] == "late":
            await answer_late(send)
            return
        await send({"type": "websocket.send", "text": event["text"]})


REFUSED: list[type[Exception]] = []
"""What a late answer was refused with."""


async def answer_late(send: Any) -> None:
    """Answer when uvicorn has closed the socket."""
    async with asyncio.timeout(20):
        while not Watched.made[-1].close_sent:
            await asyncio.sleep(0.01)
    try:
        await send({"type": "websocket.send", "text": "late"})
    except (OSError, RuntimeError) as error:
        REFUSED.append(type(error))


class Hasty(BoundedHttp):
    REQUEST_WITHIN = 0.5


class Watched(BoundedWebSocket):
    made: "list[Watched]" = []  # noqa: RUF012

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        Watched.made.append(self)


@pytest.fixture(scope="module")
def echoing() -> Iterator[str]:
    port = free_port()
    config = uvicorn.Config(
        echo, host="127.0.0.1", port=port, log_level="error", lifespan="off", http=Hasty, ws=Watched
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    url = f"http://127.0.0.1:{port}"
    while not server.started:
        thread.join(0.01)
        assert thread.is_alive()
    yield url
    server.should_exit = True
    thread.join(30)


def answer(url: str, request: bytes) -> bytes:
    """Send bytes and return all that comes back before the server closes the connection."""
    with closing(raw_connection(url)) as raw:
        raw.sendall(request)
        told = b""
        while piece := raw.recv(2**16):
            told += piece
        return told


@pytest.mark.parametrize(
    ("start", "piece"),
    [
        (b"GET / HTTP/1.1\r\n", b"a: b\r\n"),
        (b"GET / HTTP/1.1\r\na: ", b"b"),
        (b"GET /", b"b"),
        (b"GET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n", b"a: b\r\n"),
    ],
    ids=["many headers", "a long header", "a long path", "of a second request"],
)
def test_a_head_without_an_end_is_refused(echoing: str, start: bytes, piece: bytes) -> None:
    with closing(raw_connection(echoing)) as raw:
        raw.sendall(start)
        most = 64 * 2**20
        assert flood(raw, piece, most, patience=30) < most
        assert ends(raw)


def test_a_head_that_is_a_little_too_large_is_told_what_is_allowed(echoing: str) -> None:
    told = answer(echoing, b"GET / HTTP/1.1\r\na: " + b"b" * MAX_HEAD)
    assert told.startswith(b"HTTP/1.1 431 ")
    assert told.endswith(b"a request's head has at most 65536 bytes")
    fits = b"GET / HTTP/1.1\r\nconnection: close\r\na: " + b"b" * (MAX_HEAD - 1_000) + b"\r\n\r\n"
    assert answer(echoing, fits).startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize(
    "part",
    [
        b"",
        b"GET",
        b"GET / HTTP/1.1\r\nhost: x\r\n",
        b"POST / HTTP/1.1\r\ncontent-length: 9\r\n\r\nhalf",
        b"POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n1\r\n",
        b"GET /ws HTTP/1.1\r\nupgrade: websocket\r\nconnection: upgrade\r\n",
    ],
    ids=["nothing", "a word", "half a head", "half a body", "half a chunk", "half a handshake"],
)
def test_a_request_that_does_not_come_whole_is_not_waited_for(echoing: str, part: bytes) -> None:
    told = answer(echoing, part)
    assert told.startswith(b"HTTP/1.1 408 ")
    assert told.endswith(b"a request has to come whole within 0.5 s")


def test_a_second_request_has_its_own_time(echoing: str) -> None:
    request = b"GET / HTTP/1.1\r\nhost: x\r\n\r\n"
    told = answer(echoing, request + request + b"GET / ")
    assert told.count(b"HTTP/1.1 200 ") == 2
    assert b"HTTP/1.1 408 " in told


def test_a_body_is_no_part_of_the_head(echoing: str) -> None:
    body = b"x" * (4 * MAX_HEAD)
    head = b"POST / HTTP/1.1\r\nconnection: close\r\ncontent-length: %d\r\n\r\n" % len(body)
    assert answer(echoing, head + body).startswith(b"HTTP/1.1 200 ")


def test_a_session_outlives_the_time_of_a_request(echoing: str) -> None:
    with session(echoing) as one, closing(opened_by_hand(echoing)) as quiet:
        assert not ends(quiet, 2 * Hasty.REQUEST_WITHIN)
        assert one.ask({"type": "step"}) == {"type": "step"}


def test_pings_are_answered_as_long_as_the_answers_are_read(echoing: str) -> None:
    with closing(opened_by_hand(echoing)) as raw:
        raw.sendall(frame(b"here?", PING))
        assert raw.recv(100) == b"\x8a\x05here?"
        protocol = Watched.made[-1]
        flood(raw, frame(b"x" * 125, PING), 16 * 2**20, patience=2)
        # What is read at a time is answered at a time.
        assert protocol.transport.get_write_buffer_size() < MAX_UNREAD + AT_A_TIME


def test_a_client_that_answers_no_pings_is_dropped_with_what_it_has_not_read(echoing: str) -> None:
    with closing(opened_by_hand(echoing)) as raw:
        flood(raw, frame(b"x" * 60_000, TEXT), 64 * 2**20)
        protocol = Watched.made[-1]
        assert not protocol.writable.is_set()
        protocol.loop.call_soon_threadsafe(protocol.keepalive_timeout)
        deadline = time.monotonic() + 30
        # When the connection is lost, nothing waits for room to write any more.
        while not protocol.writable.is_set():
            assert time.monotonic() < deadline
            time.sleep(0.01)


def test_fragments_are_put_together_as_they_come(echoing: str) -> None:
    with closing(opened_by_hand(echoing)) as raw:
        raw.sendall(frame("ä".encode()[:1], TEXT, final=False))
        raw.sendall(frame("ä".encode()[1:], CONTINUED, final=False))
        raw.sendall(frame(b"", CONTINUED, final=False) * 10_000)
        raw.sendall(frame(b"x", CONTINUED, final=False) * 10_000 + frame(b"here?", PING))
        assert raw.recv(100) == b"\x8a\x05here?"
        assert len(Watched.made[-1].frames) == 1
        raw.sendall(frame(b"!", CONTINUED))
        told = b""
        while not told.endswith(b"!"):
            told += raw.recv(2**16)
        assert told.removeprefix(told[:4]).decode() == "ä" + "x" * 10_000 + "!"


def test_text_that_is_not_utf_8_closes_its_socket_without_a_word(
    echoing: str, caplog: pytest.LogCaptureFixture
) -> None:
    with closing(opened_by_hand(echoing)) as raw:
        raw.sendall(frame(b"\xc3", TEXT, final=False) + frame(b"\xff", CONTINUED))
        assert raw.recv(100)[:4] == b"\x88\x02\x03\xef"
        assert ends(raw)
    assert caplog.text == ""


def test_an_answer_to_a_socket_that_was_closed_meanwhile_is_no_error_of_the_application(echoing: str) -> None:
    with closing(opened_by_hand(echoing)) as raw:
        raw.sendall(frame(b"late") + frame(b"\xff"))
        while raw.recv(2**16):
            pass
    assert within(20, lambda: len(REFUSED) == 1)
    assert issubclass(REFUSED[0], OSError)
