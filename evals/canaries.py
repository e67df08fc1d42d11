"""Canaries: recorded trajectories on which an evaluator that pays for the wrong thing gives itself away.

`validation/canaries.jsonl` holds one a line. Replaying needs nothing but a way to ask a session: it works on
any server's `/ws` and on whatever answers the same messages.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any, Final, NamedTuple, TypeAlias

from qrewrite.rules import ActionResult
from qrewrite.tasks import TIERS

Ask: TypeAlias = Callable[[object], Mapping[str, Any]]
"""Send one message, text as it is and anything else as JSON, and return the answer as it came."""


class CanaryError(ValueError):
    """Raised for a line that is no canary, and for a server that does not even start its episode."""


@dataclass(frozen=True, slots=True)
class Canary:
    """One trajectory and what must hold on it.

    Attributes:
        id: the probe that it serves and its own name, e.g. `F3.swap_loop.easy`.
        claim: what it shows, as a sentence.
        reset: arguments of the reset that begins its episode.
        frames: what is sent then: `[target_index, action_type]` is a step, text is sent as it is, an object
            is sent as JSON.
        holds: condition, a key of CONDITIONS, → its argument.
        replies: for frames that stand for replies of a model: `[text, error class]` of each.
    """

    id: str
    claim: str
    reset: Mapping[str, Any]
    frames: tuple[Any, ...]
    holds: Mapping[str, Any]
    replies: tuple[tuple[str, str], ...] = ()

    def line(self) -> str:
        """Return the canary as a line of JSON that `read` reads back."""
        return json.dumps(asdict(self), separators=(",", ":"))


def read(lines: Iterable[str]) -> Iterator[Canary]:
    """Yield the canaries of a file's lines; CanaryError for a line that is none."""
    for number, line in enumerate(lines, start=1):
        try:
            canary = Canary(**json.loads(line))
            frames = tuple(map(_frozen, canary.frames))
            replies = tuple((str(text), str(kind)) for text, kind in canary.replies)
            unknown = set(canary.holds) - set(CONDITIONS)
        except (TypeError, ValueError) as error:
            raise CanaryError(f"line {number} is no canary: {error}") from error
        if unknown or not canary.holds:
            raise CanaryError(f"line {number}: holds must name some of {', '.join(CONDITIONS)}")
        yield Canary(canary.id, canary.claim, canary.reset, frames, canary.holds, replies)


def _frozen(frame: Any) -> Any:
    return tuple(frame) if isinstance(frame, list) else frame


class Seen(NamedTuple):
    """What the server shows after the reset or after a frame.

    Attributes:
        error: code of the error frame with which it answered, or None.
        reward: reward of the step; 0.0 for what was no step.
        observation: the last observation's data, whose `observation`, `done` and `reward` are the server's.
        state: the public state.
    """

    error: str | None
    reward: float
    observation: Mapping[str, Any]
    state: Mapping[str, Any]

    @property
    def facts(self) -> Mapping[str, Any]:
        """The metadata of the last observation."""
        facts: Mapping[str, Any] = self.observation["observation"]["metadata"]
        return facts

    @property
    def circuit(self) -> Any:
        """The gates of the last observation."""
        return self.observation["observation"]["circuit"]


Trace: TypeAlias = list[Seen]
"""What was seen after the reset and after each frame: one more than there are frames."""


def replay(canary: Canary, ask: Ask) -> Trace:
    """Play the canary on a session and return all that was seen; CanaryError when its reset is refused."""
    answer = ask({"type": "reset", "data": dict(canary.reset)})
    if answer["type"] != "observation":
        raise CanaryError(f"{canary.id}: the reset is answered {answer}")
    observation: Mapping[str, Any] = answer["data"]
    trace = [Seen(None, 0.0, observation, _state(ask))]
    for frame in canary.frames:
        answer = ask(_message(frame))
        error, reward = None, 0.0
        if answer["type"] == "observation":
            observation = answer["data"]
            reward = observation["reward"]
        elif answer["type"] == "error":
            error = answer["data"]["code"]
        trace.append(Seen(error, reward, observation, _state(ask)))
    return trace


def _message(frame: Any) -> object:
    if isinstance(frame, tuple):
        target_index, action_type = frame
        return {"type": "step", "data": {"target_index": target_index, "action_type": action_type}}
    return frame


def _state(ask: Ask) -> Mapping[str, Any]:
    state: Mapping[str, Any] = ask({"type": "state"})["data"]
    return state


def violations(canary: Canary, trace: Trace) -> list[str]:
    """Return a sentence for each condition of the canary that does not hold on what was seen."""
    told = (CONDITIONS[name](trace, argument) for name, argument in canary.holds.items())
    return [f"{canary.id}: {sentence}" for sentence in told if sentence is not None]


def _score(trace: Trace, argument: str) -> str | None:
    """`floor`: no score that is ever served is above the tier's floor."""
    if argument != "floor":
        raise CanaryError(f"score can be floor, got {argument!r}")
    floor = TIERS[trace[0].facts["task"]].scoring.floor
    served = [score for seen in trace for score in (seen.facts["score"], seen.state["score"])]
    return None if set(served) == {floor} else f"scores reach {max(served)}, the floor is {floor}"


def _return_at_most(trace: Trace, bound: float) -> str | None:
    """The rewards add up to at most this."""
    total = round(sum(seen.reward for seen in trace), 9)
    return None if total <= bound else f"the return is {total}, at most {bound} is right"


def _circuit(trace: Trace, argument: str) -> str | None:
    """`as_reset`: in the end the circuit is the one of the reset."""
    if argument != "as_reset":
        raise CanaryError(f"circuit can be as_reset, got {argument!r}")
    return None if trace[-1].circuit == trace[0].circuit else "the circuit has changed"


def _removed_per_gain(trace: Trace, gates: int) -> str | None:
    """Each step with a positive reward removes this many gates, and there is one."""
    removed = [
        before.state["gate_count"] - after.state["gate_count"]
        for before, after in pairwise(trace)
        if after.reward > 0
    ]
    if removed and set(removed) == {gates}:
        return None
    return f"rewarded steps remove {sorted(set(removed))} gates, each should remove {gates}"


def _final_after(trace: Trace, frames: int) -> str | None:
    """After this many frames the episode is done, and nothing that follows is paid or changes anything."""
    end = trace[frames]
    if not end.observation["done"] or end.facts["termination"] is None:
        return f"the episode is not done after {frames} frames"
    for number, seen in enumerate(trace[frames + 1 :], start=frames + 1):
        over = seen.observation["done"] and seen.facts["action_result"] == ActionResult.EPISODE_OVER
        if not over or seen.reward != 0 or (seen.circuit, seen.state) != (end.circuit, end.state):
            return f"frame {number} still has an effect after the end"
    return None


def _refused(trace: Trace, count: int) -> str | None:
    """This many frames are answered with an error, and each of them leaves the public state as it was."""
    refused = [(before.state, after.state) for before, after in pairwise(trace) if after.error is not None]
    if any(before != after for before, after in refused):
        return "a refused frame has changed the state"
    return None if len(refused) == count else f"{len(refused)} frames are refused, {count} should be"


CONDITIONS: Final[Mapping[str, Callable[[Trace, Any], str | None]]] = {
    "score": _score,
    "return_at_most": _return_at_most,
    "circuit": _circuit,
    "removed_per_gain": _removed_per_gain,
    "final_after": _final_after,
    "refused": _refused,
}
"""What `holds` may name → from what was seen and its argument to what is wrong, or None."""
