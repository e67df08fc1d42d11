"""A session under test: any frame may be sent, and what comes of it is compared with what must."""

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, Final

from websockets.exceptions import ConnectionClosed

from support.judged import verdict
from support.oracle import Oracle, same
from support.sockets import Session, session

STATE: Final = '{"type": "state"}'


class Tried:
    """A session and its twin; a socket that a frame closes rightly is opened anew."""

    def __init__(self, url: str, stack: ExitStack) -> None:
        self._url, self._stack = url, stack
        self.reopen()

    def send(self, frame: str | bytes) -> str:
        """Send a frame and see that it has the reply that it must have, and no other effect.

        Returns:
            The type of the reply, an error's code, or `closed` if the socket was.
        """
        self._session.tell(frame)
        if verdict(frame) == "close":
            with suppress(ConnectionClosed):
                raise AssertionError(f"a goodbye was answered: {self._session.hear()}")
            self.reopen()
            return "closed"
        self._session.tell(STATE)
        told, state = self._session.hear(), self._session.hear()
        assert state["type"] == "state", (frame, told, state)
        self._compare(frame, told, state)
        return str(told["data"]["code"] if told["type"] == "error" else told["type"])

    def _compare(self, frame: str | bytes, told: dict[str, Any], state: dict[str, Any]) -> None:
        self._compare_reply(frame, told)
        expected = self.twin.state()
        if not expected["episode_id"]:
            expected["episode_id"] = state["data"]["episode_id"]
        assert same(state["data"], expected), (frame, state, expected)

    def step(self, target_index: int, action_type: int) -> None:
        """Play one action and compare the reply."""
        told = self._session.step(target_index, action_type)
        assert same(told, self.twin.step(target_index, action_type)), told

    def restart(self) -> None:
        """Begin a new episode, and compare the reply."""
        arguments = {"task": "easy", "seed": 3, "episode_id": "steady"}
        assert same(self._session.reset(**arguments), self.twin.reset(arguments))

    @contextmanager
    def renewed_if_it_fails(self) -> Iterator[None]:
        """Go on with a new socket when a test has failed on this one."""
        try:
            yield
        except BaseException:
            self.reopen()
            raise

    def reopen(self) -> None:
        """Go on with a new socket."""
        self._session: Session = self._stack.enter_context(session(self._url))
        self.twin = Oracle()
        self.restart()

    def _compare_reply(self, frame: str | bytes, told: dict[str, Any]) -> None:
        kind = verdict(frame)
        if kind == "step":
            action = json.loads(frame)["data"]
            then = action.get("then", [])
            if then and not self.twin.plans:
                assert told["data"].get("code") == "EXECUTION_ERROR", (frame, told)
                return
            expected = self.twin.step(action["target_index"], action["action_type"], then)
            assert told["type"] == "observation", (frame, told)
            assert same(told["data"], expected), (frame, told, expected)
        elif kind == "reset":
            assert told["type"] == "observation", (frame, told)
            arguments = json.loads(frame).get("data", {})
            expected = self.twin.reset(arguments, drawn=told["data"]["metadata"]["seed"])
            assert same(told["data"], expected), (frame, told, expected)
        elif kind == "mcp":
            assert told["type"] in ("mcp", "error"), (frame, told)
        else:
            assert told["type"] == kind, (frame, told)
