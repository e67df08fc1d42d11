"""Clients for many sessions at once, over asyncio, whose every reply is compared with their twin's."""

import json
from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Any, Final, NamedTuple

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from qrewrite.policies import random_legal
from qrewrite.rules import RULES
from qrewrite.tasks import RANDOM, TIERS
from support.bad_input import BAD_ACTIONS, BAD_RESETS
from support.circuits import grown_circuit
from support.oracle import Oracle, same

TASKS: Final = (*TIERS, RANDOM)
_BURST: Final = 6
_SHORT: Final = 2_000
"""Characters of the longest bad frame that a player sends: many players at once send many."""

_BAD: Final[tuple[tuple[str | bytes, str], ...]] = (
    *(
        (json.dumps({"type": "step", "data": action}), "VALIDATION_ERROR")
        for action in BAD_ACTIONS.values()
        if len(json.dumps(action)) < _SHORT
    ),
    *(
        (json.dumps({"type": "reset", "data": arguments}), "VALIDATION_ERROR")
        for arguments, _ in BAD_RESETS.values()
        if len(json.dumps(arguments)) < _SHORT
    ),
    ("{nonsense", "INVALID_JSON"),
    (b"\x00\xff", "INVALID_JSON"),
    ("[]", "VALIDATION_ERROR"),
    ('{"type": "fly"}', "UNKNOWN_TYPE"),
)


class Expected(NamedTuple):
    """A reply that must come: an observation or a state with this data, or an error with this code."""

    kind: str
    data: Any


async def connected(url: str) -> ClientConnection:
    """Return a session's socket, bare and without compression."""
    return await connect(
        url.replace("http", "ws", 1) + "/ws",
        proxy=None,
        compression=None,
        max_size=None,
        open_timeout=60,
        ping_interval=None,
    )


class Player:
    """A session that plays at random: all tiers, own circuits, hints, plans, bad moves, bad frames.

    Attributes:
        twin: what the session must be like.
        seen: how often each result of an action, and each code of an error, has been told.
    """

    def __init__(self, socket: ClientConnection, number: int) -> None:
        self.twin = Oracle()
        self.seen: Counter[str] = Counter()
        self._socket, self._number, self._rng = socket, number, Random(number)
        self._episodes = 0

    async def play(self, frames: int) -> None:
        """Send so many frames, at times several before the first reply, and compare each reply."""
        while frames > 0:
            if self._rng.random() < 0.02:
                await self._reset_to_a_drawn_seed()
                frames -= 1
                continue
            sent = [
                self._next() for _ in range(self._rng.randint(2, _BURST) if self._rng.random() < 0.1 else 1)
            ]
            await self.send(sent)
            await self.hear(sent)
            frames -= len(sent)

    def swap(self, other: "Player") -> None:
        """Go on with each other's session."""
        self._socket, other._socket = other._socket, self._socket

    async def close(self) -> None:
        """Close the socket in the ordinary way."""
        await self._socket.close()

    async def send(self, sent: Sequence[tuple[str | bytes, Expected]]) -> None:
        """Send frames without waiting for the replies."""
        for frame, _ in sent:
            await self._socket.send(frame)

    async def hear(self, sent: Sequence[tuple[str | bytes, Expected]]) -> None:
        """Compare the replies to frames that have been sent."""
        for frame, expected in sent:
            self.compare(await self._hear(), expected, frame)

    async def closed(self) -> int:
        """Return the code with which the server closes the socket, 1006 if with none."""
        try:
            raise AssertionError(f"player {self._number} was told {await self._socket.recv()!r}")
        except ConnectionClosed as end:
            return 1006 if end.rcvd is None else end.rcvd.code

    async def ask(self, frame: str | bytes, expected: Expected) -> None:
        """Send one frame and compare the reply."""
        await self._socket.send(frame)
        self.compare(await self._hear(), expected, frame)

    def compare(self, told: dict[str, Any], expected: Expected, frame: str | bytes) -> None:
        """Fail unless this is the reply that had to come."""
        about = f"player {self._number}, frame {frame[:300]!r}"
        assert told["type"] == expected.kind, (about, told)
        if expected.kind == "error":
            assert told["data"]["code"] == expected.data, (about, told)
            assert told["data"]["message"], about
            self.seen[expected.data] += 1
            return
        assert same(told["data"], expected.data), (about, told["data"], expected.data)
        if expected.kind == "observation":
            self.seen[expected.data["metadata"]["action_result"]] += 1

    def next_step(self) -> tuple[str, Expected]:
        """Return the frame of a step, four times out of five a legal one, or of a plan, and its reply."""
        action, *then = (self._action() for _ in range(self._rng.randint(1, 4) if self.twin.plans else 1))
        frame = {"type": "step", "data": {**action, "then": then} if then else action}
        return json.dumps(frame), Expected("observation", self.twin.step(**action, then=then))

    def next_reset(self) -> tuple[str, Expected]:
        """Return the frame of a reset that names its circuit, and its reply."""
        rng = self._rng
        self._episodes += 1
        arguments: dict[str, Any] = {"episode_id": f"{self._number}/{self._episodes}"}
        if rng.random() < 0.25:
            arguments["hints"] = True
        if rng.random() < 0.25:
            arguments["plans"] = True
        drawn = rng.random()
        if drawn < 0.7:
            arguments |= {"task": rng.choice(TASKS), "seed": rng.randrange(2**32)}
        elif drawn < 0.85:
            arguments |= {"split": "test", "index": rng.randrange(600)}
        else:
            qubits = rng.randint(1, 5)
            circuit = grown_circuit(rng, qubits, rng.randint(0, 12))
            arguments |= {"circuit": circuit.records(), "num_qubits": qubits}
        frame = json.dumps({"type": "reset", "data": arguments})
        return frame, Expected("observation", self.twin.reset(arguments))

    def _action(self) -> dict[str, int]:
        """Draw an action for the circuit as it is, in a plan also for a later one."""
        episode, rng = self.twin.episode, self._rng
        assert episode is not None
        legal = random_legal(episode.position, rng) if rng.random() < 0.8 else ()
        index, kind = legal[0] if legal else (rng.randrange(episode.gate_count + 2), rng.choice(list(RULES)))
        return {"target_index": index, "action_type": kind}

    def _next(self) -> tuple[str | bytes, Expected]:
        drawn, episode = self._rng.random(), self.twin.episode
        if drawn < 0.07:
            bad, code = self._rng.choice(_BAD)
            return bad, Expected("error", code)
        if drawn < 0.12:
            return '{"type": "state"}', Expected("state", self.twin.state())
        if episode is None and drawn < 0.4:
            step = {"type": "step", "data": {"target_index": 0, "action_type": 1}}
            return json.dumps(step), Expected("error", "EXECUTION_ERROR")
        if episode is None or drawn > (0.5 if episode.done else 0.97):
            return self.next_reset()
        return self.next_step()

    async def _reset_to_a_drawn_seed(self) -> None:
        """Let the server draw the seed, which with the id is all that it may choose."""
        self._episodes += 1
        arguments = {"episode_id": f"{self._number}/{self._episodes}", "task": self._rng.choice(TASKS)}
        frame = json.dumps({"type": "reset", "data": arguments})
        await self._socket.send(frame)
        told = await self._hear()
        drawn = told["data"]["metadata"]["seed"]
        assert type(drawn) is int
        self.compare(told, Expected("observation", self.twin.reset(arguments, drawn=drawn)), frame)

    async def _hear(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(await self._socket.recv())
        return found
