"""SIGTERM and SIGINT while the server serves: first the sessions end in good order, then the server does."""

import asyncio
import signal
from collections.abc import Callable
from threading import current_thread, main_thread
from types import FrameType
from typing import Any, Final

from quantum_circuit_env.server.service import Service

_NUMBERS: Final = (signal.SIGTERM, signal.SIGINT)


def drain_on_signals(service: Service) -> None:
    """Have uvicorn hear of both signals only when the sessions have ended, or of a second one at once.

    uvicorn itself would close all sockets at once, and what their steps are answered would be lost. Where
    something else serves, signals stay as they are.
    """
    if current_thread() is not main_thread():
        return
    loop = asyncio.get_running_loop()
    for number in _NUMBERS:
        handler = signal.getsignal(number)
        if hasattr(getattr(handler, "__self__", None), "should_exit") and callable(handler):
            signal.signal(number, _Drain(service, loop, number, handler))


class _Drain:
    """A signal's handler."""

    def __init__(
        self, service: Service, loop: asyncio.AbstractEventLoop, number: int, handler: Callable[..., Any]
    ) -> None:
        self._service, self._loop, self._number, self._handler = service, loop, number, handler
        self._heard = False
        self._task: asyncio.Task[None] | None = None

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if self._heard:
            self._handler(number, frame)
        else:
            self._heard = True
            self._loop.call_soon_threadsafe(self._begin)

    def _begin(self) -> None:
        # The other signal may have begun it.
        if not self._service.closing:
            self._task = self._loop.create_task(self._drain())

    async def _drain(self) -> None:
        try:
            await self._service.drain()
        finally:
            self._handler(self._number, None)
