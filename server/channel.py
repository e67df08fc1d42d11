"""One socket between OpenEnv's route and its client: what is answered here, counted, and ended."""

import asyncio
import logging
import secrets
from contextlib import suppress
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any, Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from qrewrite.rules import ActionResult
from quantum_circuit_env.models import QuantumCircuitAction
from quantum_circuit_env.server.frames import LARGE, MCP, answer_event, error_of, session_error
from quantum_circuit_env.server.logs import LOGGER
from quantum_circuit_env.server.messages import ordinary_step
from quantum_circuit_env.server.older import TELLS_METADATA
from quantum_circuit_env.server.service import SHUTDOWN, Ending, Service, idle, over_limit
from quantum_circuit_env.server.sockets import SOCKET, Socket

if TYPE_CHECKING:
    from quantum_circuit_env.server.environment import QuantumCircuitEnvironment

TURN: Final = 8
"""Frames that came at once after which it is the others' turn: a client that sends many must wait."""
AT_ONCE: Final = 50_000
"""Nanoseconds that it takes at most to get a frame that was there already; waiting for one takes longer."""

_OBSERVATION: Final = '{"type":"observation"'
_log: Final = logging.getLogger(LOGGER)


class Channel(Socket):
    """One socket; its `receive` and `send` are what OpenEnv's route gets in place of the server's own.

    From the first reset on ordinary steps are played here. OpenEnv would check each action and serialise each
    observation twice over, at several times the cost of the step. Its own count of a session's steps, which
    no route tells, stays behind.
    """

    def __init__(self, service: Service, path: str, scope: Scope, receive: Receive, send: Send) -> None:
        super().__init__()
        self._service, self._path, self._receive, self._send = service, path, receive, send
        self._client = ":".join(map(str, scope.get("client") or ("unknown",)))
        self._id = secrets.token_hex(8)
        self._task: asyncio.Task[Any] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._ending: Ending | None = None
        self._disconnect: Message | None = None
        self._connected = self._opened = self._waiting = self._cancelled = self._failed = False
        self._cut = False
        self._frames = self._steps = self._resets = self._in_a_row = 0
        self._limited = bool(service.limits.session_requests or service.limits.requests_per_second)
        self._allowance = float(service.limits.requests_per_second)
        self._started = self._began = self._heard = perf_counter_ns()

    async def serve(self, app: ASGIApp, scope: Scope) -> None:
        """Serve the socket until it is closed."""
        if self._service.closing:
            await self._refuse()
            return
        self._task = asyncio.current_task()
        SOCKET.set(self)
        self._service.channels.add(self)
        self._watch(self._service.idle_timeout_s)
        try:
            await app(scope, self.receive, self.send)
        except asyncio.CancelledError:
            if not self._cut:
                raise
        finally:
            self._service.channels.discard(self)
            if self._timer is not None:
                self._timer.cancel()
            if self._opened:
                self._tell_end()

    def end(self, ending: Ending) -> None:
        """End the session as soon as what has arrived is answered; a step in progress is never cut."""
        if self._ending is None:
            self._ending = ending
            if self._waiting and self._task is not None:
                self._cancelled = True
                self._task.cancel()

    def cut(self) -> None:
        """Break off the step in progress of a session that has been told to end; nobody waits any more."""
        if not self._waiting and self._task is not None:
            self._cut = True
            self._task.cancel()

    async def receive(self) -> Message:
        """Return the next event that OpenEnv's route has to deal with; answer the others here."""
        if self._connected and not self._opened:
            # OpenEnv asks for a frame: it has made the session.
            self._opened = True
            self._service.opened()
            _log.debug("session opened", extra=self._named())
        while True:
            event = await self._next()
            now = perf_counter_ns()
            self._in_a_row = self._in_a_row + 1 if now - self._heard < AT_ONCE else 0
            before, self._began = self._began, now
            if event["type"] != "websocket.receive":
                self._connected = event["type"] == "websocket.connect"
                self._disconnect = event
                return event
            self._frames += 1
            if self._limited and (refusal := self._over_limit(now - before)):
                self._ending = over_limit(refusal)
                return await self._end(self._ending)
            environment, text = self.environment, event.get("text") or ""
            action = ordinary_step(text) if TELLS_METADATA and environment is not None else None
            if environment is not None and action is not None:
                await self._play(environment, action)
            elif (answer := await self._answer(event, len(text))) is None:
                return event
            else:
                await self.send({"type": "websocket.send", "text": answer})

    async def send(self, event: Message) -> None:
        """Send an event of OpenEnv's route or of ours."""
        if event["type"] == "websocket.close" and self._ending is not None:
            event = {**event, "code": self._ending.code, "reason": self._ending.message}
        with suppress(OSError):
            await self._send(event)
        self._heard = perf_counter_ns()
        if event["type"] == "websocket.send":
            self._note(event["text"])

    async def _next(self) -> Message:
        if self._in_a_row >= TURN:
            self._in_a_row = 0
            await asyncio.sleep(0)
        if self._ending is not None:
            return await self._rest(self._ending)
        self._waiting = True
        try:
            return await self._receive()
        except asyncio.CancelledError:
            if not self._cancelled:
                raise
            return await self._after_cancelling()
        finally:
            self._waiting = False

    async def _after_cancelling(self) -> Message:
        self._cancelled = False
        if self._task is not None:
            self._task.uncancel()
        return await self._rest(SHUTDOWN if self._ending is None else self._ending)

    async def _play(self, environment: "QuantumCircuitEnvironment", action: QuantumCircuitAction) -> None:
        reply = await environment.answer(action)
        # A client that is gone is no error: the next event ends the session. (suppress() costs more.)
        try:  # noqa: SIM105
            await self._send({"type": "websocket.send", "text": reply})
        except OSError:
            pass
        self._heard = perf_counter_ns()
        session = environment.session
        if action.then or session is None:
            self._note(reply)
        else:
            self._steps += 1
            self._service.tally.step(session.episode.action_result, self._heard - self._began)

    async def _answer(self, event: Message, length: int) -> str | None:
        """Return what is answered to a frame that is not in order."""
        if length > LARGE:
            return await asyncio.to_thread(answer_event, self._path, event, self._service.limits)
        return answer_event(self._path, event, self._service.limits)

    async def _rest(self, ending: Ending) -> Message:
        """Return what has arrived already, and then the end."""
        try:
            async with asyncio.timeout(0):
                event = await self._receive()
        except TimeoutError:
            return await self._end(ending)
        if ending.reason == "idle":
            # Not idle after all.
            self._ending = SHUTDOWN if self._service.closing else None
            self._watch(self._service.idle_timeout_s)
        return event

    async def _end(self, ending: Ending) -> Message:
        """Tell the client, and return the event at which OpenEnv frees environment and place, and closes."""
        if ending.frame:
            text = session_error(self._path, ending.message)
            await self.send({"type": "websocket.send", "text": text})
        return {"type": "websocket.disconnect", "code": ending.code, "reason": ending.message}

    async def _refuse(self) -> None:
        await self._receive()
        await self._send({"type": "websocket.accept"})
        await self.send({"type": "websocket.send", "text": session_error(self._path, SHUTDOWN.message)})
        await self.send({"type": "websocket.close", "code": SHUTDOWN.code, "reason": SHUTDOWN.message})

    def _watch(self, seconds: float) -> None:
        if self._service.idle_timeout_s:
            self._timer = asyncio.get_running_loop().call_later(seconds, self._look)

    def _look(self) -> None:
        limit = self._service.idle_timeout_s
        left = limit - (perf_counter_ns() - max(self._began, self._heard)) / 1e9
        if left > 0:
            self._watch(left)
        elif self._waiting:
            self.end(idle(limit))
        else:
            # A step is in progress; when it is answered the time begins anew.
            self._watch(limit)

    def _over_limit(self, since_last: int) -> str | None:
        limits = self._service.limits
        if limits.session_requests and self._frames > limits.session_requests:
            return limits.too_many
        rate = limits.requests_per_second
        if rate:
            # A bucket of tokens, filled as fast as requests may come, which holds those of one second.
            self._allowance = min(rate, self._allowance + since_last * rate / 1e9) - 1
            if self._allowance < 0:
                return limits.too_fast
        return None

    def _note(self, text: str) -> None:
        """Count an answer."""
        if text.startswith(_OBSERVATION):
            self._note_observation()
            return
        error = error_of(self._path, text)
        if error is None:
            return
        code, no_room = error
        self._service.tally.error("mcp" if self._path == MCP else "ws", code)
        if self._opened:
            self._failed = code == "SESSION_ERROR"
        else:
            reason = "shutdown" if self._service.closing else "capacity" if no_room else "error"
            self._service.refused(reason, self._client)

    def _note_observation(self) -> None:
        session = None if self.environment is None else self.environment.session
        if session is None:
            return
        result, played = session.episode.action_result, session.played
        if result is ActionResult.RESET:
            self._resets += 1
            self._service.tally.reset(session.start.tier.name, "ws")
        else:
            self._steps += len(played) or 1
            self._service.tally.step(result, self._heard - self._began)
            for each in played[:-1]:
                self._service.tally.action(each["action_result"])

    def _tell_end(self) -> None:
        reason = self._reason()
        self._service.tally.closed(reason)
        told = {
            "reason": reason,
            "duration_s": round((perf_counter_ns() - self._started) / 1e9, 3),
            "frames": self._frames,
            "resets": self._resets,
            "steps": self._steps,
        }
        _log.info("session closed", extra={**self._named(), **told})

    def _reason(self) -> str:
        """Return why the session has ended, one of the tally's ENDS."""
        if self._ending is not None:
            return self._ending.reason
        event = self._disconnect
        if event is None or event["type"] != "websocket.disconnect":
            return "error" if self._failed else "client"
        if event.get("code") == SHUTDOWN.code:
            return "shutdown"
        # A client that closes its socket says so in a frame; one that is gone does not.
        return "client" if "reason" in event or event.get("code") in (1000, 1001) else "lost"

    def _named(self) -> dict[str, str]:
        return {"session": self._id, "client": self._client, "path": self._path}
