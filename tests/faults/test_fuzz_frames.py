"""Frames of all kinds on a socket: each has exactly one reply, the right one, and no other effect."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from copy import deepcopy
from random import Random
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.corpus import kept
from support.tried import Tried

SOUND: Final[list[Any]] = [
    {"type": "step", "data": {"target_index": 0, "action_type": 1}},
    {"type": "step", "data": {"target_index": 2, "action_type": 2, "metadata": {"note": "x"}}},
    {
        "type": "step",
        "data": {
            "target_index": 0,
            "action_type": 2,
            "then": [{"target_index": 1, "action_type": 2}, {"target_index": 0, "action_type": 1}],
        },
    },
    {"type": "reset", "data": {"task": "easy", "seed": 5, "plans": True}},
    {"type": "reset", "data": {}},
    {"type": "reset"},
    {"type": "reset", "data": {"task": "medium", "seed": 5, "plans": True, "episode_id": "e"}},
    {"type": "reset", "data": {"split": "test", "index": 7, "hints": True, "plans": True}},
    {
        "type": "reset",
        "data": {
            "num_qubits": 2,
            "task": "hard",
            "circuit": [
                {"name": "H", "target_qubits": [0]},
                {"name": "CNOT", "target_qubits": [1, 0]},
                {"name": "CNOT", "target_qubits": [1, 0]},
                {"name": "CZ", "target_qubits": [1, 0]},
            ],
        },
    },
    {"type": "state"},
    {"type": "mcp", "data": {"jsonrpc": "2.0", "method": "tools/list", "id": 1}},
]
ODD: Final[list[Any]] = [
    *(None, True, False, -1, 0, 1, 2, 4, 5, 63, 64, 65, 149, 10**9, 2**31, 2**32 - 1, 2**32, 2**63, 10**40),
    *(0.0, 1.0, -0.5, 1e308, float("nan"), float("inf")),
    *("", "0", "H", "CNOT", "easy", "random", "test", "step", "reset", "\x00", "ä", "\ud800", "x" * 256),
    *([], [0], [[]], [0, 1], [1, 1], {}, {"name": "H"}, {"name": "X", "target_qubits": [0]}),
    ["self", {"": ["__class__", {"0": None}]}],
]
KEYS: Final = [
    "type",
    "data",
    "self",
    "seed",
    "task",
    "circuit",
    "name",
    "",
    "metadata",
    "session_id",
    "then",
]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of each value inside."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in inside:
        yield (*path, key)
        yield from places(child, (*path, key))


def changed(document: Any, rng: Random) -> Any:
    """Return the document with one value replaced, taken away, doubled, moved or put beside another."""
    document = deepcopy(document)
    path = rng.choice([*places(document)] or [("type",)])
    holder = document
    for key in path[:-1]:
        holder = holder[key]
    key = path[-1]
    kind = rng.randrange(5)
    if kind == 0 and key in (holder if isinstance(holder, dict) else range(len(holder))):
        del holder[key]
    elif kind == 1 and isinstance(holder, dict):
        holder[rng.choice(KEYS)] = rng.choice(ODD)
    elif kind == 2 and isinstance(holder, list):
        holder.append(deepcopy(holder[key]))
    elif kind == 3 and isinstance(holder, dict):
        holder[rng.choice(KEYS)] = holder.pop(key, None)
    else:
        holder[key] = rng.choice(ODD)
    return document


def cut(text: str, rng: Random) -> str:
    """Return the text with a piece of it taken away, doubled or replaced."""
    first = rng.randrange(len(text) + 1)
    last = min(len(text), first + rng.choice([0, 1, 1, 2, 9]))
    piece = rng.choice(
        ["", "", '"', "{", "}", "[", "]", ",", ":", "9" * 30, "\\u0000", "\\ud83d", "\x00", "é", " "]
    )
    return text[:first] + piece + text[rng.choice([first, last]) :]


@st.composite
def nearly_sound(draw: st.DrawFn) -> str:
    """Messages with up to three faults, in what they say or in how it is written."""
    document, rng = draw(st.sampled_from(SOUND)), Random(draw(st.integers(0, 2**32 - 1)))
    for _ in range(draw(st.integers(0, 2))):
        document = changed(document, rng)
    text = json.dumps(document, ensure_ascii=draw(st.booleans()) or "\\ud8" in json.dumps(document))
    return cut(text, rng) if draw(st.integers(0, 3)) == 0 else text


raw = st.one_of(
    st.text(max_size=60),
    st.binary(max_size=60),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
        max_leaves=12,
    ).map(json.dumps),
)


@pytest.fixture(scope="module")
def tried(server_url: str) -> Iterator[Tried]:
    with ExitStack() as stack:
        yield Tried(server_url, stack)


def fuzzed(name: str, frames: st.SearchStrategy[str | bytes], examples: int, tried: Tried) -> set[str]:
    """Send frames, each followed by a sound step; return the types of all replies."""
    told = set()

    @settings(max_examples=examples, suppress_health_check=list(HealthCheck))
    @given(frames, st.integers(0, 20), st.integers(1, 4))
    def send(frame: str | bytes, index: int, kind: int) -> None:
        entry = {"frame": frame} if isinstance(frame, str) else {"hex": frame.hex()}
        with kept(name, why="found by a fuzzer", **entry), tried.renewed_if_it_fails():
            told.add(tried.send(frame))
            tried.step(index, kind)

    send()
    return told


@pytest.mark.parametrize(
    ("frames", "kinds"),
    [
        (nearly_sound, {"observation", "VALIDATION_ERROR", "INVALID_JSON", "UNKNOWN_TYPE"}),
        (lambda: raw, {"VALIDATION_ERROR", "INVALID_JSON"}),
    ],
    ids=["nearly sound", "raw"],
)
def test_each_frame_has_its_one_reply_and_a_sound_step_is_answered_after_it(
    tried: Tried,
    pytestconfig: pytest.Config,
    frames: Callable[[], st.SearchStrategy[str | bytes]],
    kinds: set[str],
) -> None:
    told = fuzzed("frame", frames(), pytestconfig.getoption("examples"), tried)
    assert told >= kinds
