"""What all connections of one application share: limits, counts, who is there, and how sessions end."""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from quantum_circuit_env.server.limits import DEFAULT, Limits
from quantum_circuit_env.server.logs import LOGGER
from quantum_circuit_env.server.tally import Tally

if TYPE_CHECKING:
    from quantum_circuit_env.server.channel import Channel

_STILL_READ: Final = 0.05
"""Seconds in which a server that ends reads what clients sent before they could know."""
_LOOK_AGAIN: Final = 0.01
_GOODBYE: Final = 0.5
"""Seconds in which sessions that are cut off are told why."""
_log: Final = logging.getLogger(LOGGER)


@dataclass(frozen=True, slots=True)
class Ending:
    """An end of a session that the server decides on.

    Attributes:
        reason: one of the tally's ENDS.
        code: close code of the socket.
        message: what the client is told, at most 123 bytes, as the close frame wants it.
        frame: whether an error frame tells it too, and not only the close frame.
    """

    reason: str
    code: int
    message: str
    frame: bool = True


SHUTDOWN: Final = Ending("shutdown", 1012, "the server shuts down: connect again later", frame=False)


def idle(seconds: float) -> Ending:
    """Return the end of a session that has been quiet for so long."""
    return Ending(
        "idle", 1001, f"idle: no message came for {seconds:g} seconds; connect again for a new session"
    )


def over_limit(message: str) -> Ending:
    """Return the end of a session that sends too much."""
    return Ending("limit", 1008, message)


@dataclass(slots=True)
class Service:
    """One application's connections.

    Attributes:
        limits: how much a client may send.
        idle_timeout_s: seconds without a message after which a session ends; 0 for never.
        shutdown_timeout_s: seconds that replies in flight get when the server ends.
        tally: what is counted.
        told: what the log says of the server when it starts.
        channels: the sockets that are open.
        closing: whether the server is about to end, and opens no more sessions.
        full: whether the last session that came found no room.
    """

    limits: Limits = DEFAULT
    idle_timeout_s: float = 0
    shutdown_timeout_s: float = 0
    tally: Tally = field(default_factory=Tally)
    told: Mapping[str, Any] = field(default_factory=dict)
    channels: "set[Channel]" = field(default_factory=set)
    closing: bool = False
    full: bool = False

    def opened(self) -> None:
        """Note a session that was opened."""
        self.full = False
        self.tally.opened()

    def refused(self, reason: str, client: str) -> None:
        """Note a session that was not opened; of those without room only the first is worth a warning."""
        self.tally.refused(reason)
        known = self.full and reason == "capacity"
        self.full = self.full or reason == "capacity"
        told = {"reason": reason, "client": client, "sockets": len(self.channels)}
        _log.log(logging.DEBUG if known else logging.WARNING, "session refused", extra=told)

    async def drain(self) -> None:
        """Let each session answer what has arrived, and end it; cut them off when the time is over."""
        self.closing = True
        _log.info("shutting down", extra={"sockets": len(self.channels)})
        await asyncio.sleep(_STILL_READ)
        for channel in list(self.channels):
            channel.end(SHUTDOWN)
        if not await self._ended_within(self.shutdown_timeout_s):
            _log.warning("sessions cut off", extra={"sockets": len(self.channels)})
            for channel in list(self.channels):
                channel.cut()
            await self._ended_within(_GOODBYE)

    async def _ended_within(self, seconds: float) -> bool:
        """Wait for all sessions to end; say whether they have."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + seconds
        while self.channels and loop.time() < deadline:
            await asyncio.sleep(_LOOK_AGAIN)
        return not self.channels
