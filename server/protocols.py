"""uvicorn's protocols, bounded where a client could make the process grow or hold a connection for ever.

Over HTTP uvicorn keeps whatever a client sends before its headers end, and waits for the rest of a request
without an end. On a WebSocket it answers each ping, read or not, and keeps each fragment apart.
"""

import asyncio
from typing import Any, Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import CloseCode, Frame

MAX_HEAD: Final = 2**16
"""Bytes that a request may have before its body."""
CLOSE_WITHIN: Final = 0.5
"""Seconds that a client has to close a socket that was closed, when the server ends."""
MAX_UNREAD: Final = 2**16
"""Bytes that a client has left unread when its pings are no longer answered."""

_REFUSAL: Final = (
    "HTTP/1.1 {status}\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: {length}\r\n"
    "connection: close\r\n\r\n{text}"
)


class BoundedHttp(HttpToolsProtocol):
    """HTTP whose requests have heads of at most MAX_HEAD bytes and come whole within REQUEST_WITHIN."""

    REQUEST_WITHIN: float = 60.0
    """Seconds from a connection's first moment, or a later request's first byte, to a request's last."""

    _head: int | None = None
    """Bytes of the head that has begun and not yet ended."""
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._expect()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._expect_no_more()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read what has come, and refuse a head that is too large."""
        self._expect()
        super().data_received(data)
        if self._head is not None and not self.transport.is_closing():
            self._head += len(data)
            if self._head > MAX_HEAD:
                self._refuse(
                    "431 Request Header Fields Too Large", f"a request's head has at most {MAX_HEAD} bytes"
                )

    def on_message_begin(self) -> None:
        """Begin to wait for the end of this request too, which may have come with another one's."""
        self._head = 0
        self._expect()
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Note that what comes is the body, whose size is the application's business."""
        self._head = None
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Wait no more: from here on uvicorn looks after idle connections."""
        self._expect_no_more()
        super().on_message_complete()

    def handle_websocket_upgrade(self) -> None:
        """Leave the connection to the other protocol."""
        self._expect_no_more()
        super().handle_websocket_upgrade()

    def _expect(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(self.REQUEST_WITHIN, self._too_slow)

    def _expect_no_more(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _too_slow(self) -> None:
        self._deadline = None
        self._refuse("408 Request Timeout", f"a request has to come whole within {self.REQUEST_WITHIN:g} s")

    def _refuse(self, status: str, text: str) -> None:
        if self.transport.is_closing():
            return
        if self.cycle is None or self.cycle.response_complete or not self.cycle.response_started:
            self.transport.write(_REFUSAL.format(status=status, length=len(text), text=text).encode())
        self.transport.close()


class BoundedWebSocket(WebSocketsSansIOProtocol):
    """WebSocket that holds no more than its largest message, however it is cut, and no pongs nobody reads."""

    async def send(self, message: Any) -> None:
        """Send, unless the socket was closed for what its client sent: the application cannot know."""
        await self.writable.wait()
        if self.close_sent:
            raise ClientDisconnected
        await super().send(message)

    def shutdown(self) -> None:
        """End the connection, of a socket that is being closed only when its client has read that.

        A connection that is closed before all that came has been read is reset, and the close frame lost.
        """
        if self.close_sent and self.close_timer is not None:
            self.stop_keepalive()
            self.close_timer.cancel()
            self.close_timer = self.loop.call_later(CLOSE_WITHIN, self.transport.close)
        else:
            super().shutdown()

    def handle_ping(self) -> None:
        """Answer, unless the client does not read answers; RFC 6455, 5.5.3, leaves out earlier pongs too."""
        if self.transport.get_write_buffer_size() > MAX_UNREAD:
            self.conn.data_to_send()
        else:
            super().handle_ping()

    def keepalive_timeout(self) -> None:
        """Drop a client that answers no pings; one that has left something unread would never be closed."""
        super().keepalive_timeout()
        if self.transport.get_write_buffer_size():
            self.transport.abort()

    def handle_cont(self, event: Frame) -> None:
        """Add a fragment to what has come of its message."""
        whole: Any = self.frames[0] if self.frames else b""
        if not isinstance(whole, bytearray):
            whole = bytearray(whole)
        whole += event.data
        self.frames = [whole]
        if event.fin:
            self.send_receive_event_to_app()

    def send_receive_event_to_app(self) -> None:
        """Close a socket whose text is not UTF-8, which uvicorn takes for an error of the server's own."""
        if self.curr_msg_data_type == "text" and not self.close_sent:
            try:
                b"".join(self.frames).decode()
            except UnicodeDecodeError:
                self.frames = []
                self.conn.send_close(CloseCode.INVALID_DATA)
                self.handle_parser_exception()
                return
        super().send_receive_event_to_app()
