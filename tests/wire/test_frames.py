"""Frames over a real socket: each bad one gets an error that says what is allowed, and the session lives."""

import json
from collections.abc import Iterator

import pytest

from qrewrite.circuits import MAX_GATES
from support.sockets import Session, session

STEP = '{"type": "step", "data": {"target_index": %s, "action_type": 1}}'


@pytest.fixture(scope="module")
def running(server_url: str) -> Iterator[Session]:
    """A session in the midst of an episode that no bad frame may change."""
    with session(server_url) as one:
        one.reset(task="easy", seed=3, episode_id="steady")
        one.step(0, 2)
        yield one


@pytest.fixture
def steady(running: Session) -> Iterator[Session]:
    before = running.state()
    yield running
    assert running.state() == before


BROKEN = {
    "not JSON": ("{nonsense", "INVALID_JSON", "not JSON"),
    "nothing": ("", "INVALID_JSON", "not JSON"),
    "a byte order mark": ('\ufeff{"type": "state"}', "INVALID_JSON", "not JSON"),
    "two objects": ('{"type": "state"}{"type": "state"}', "INVALID_JSON", "not JSON"),
    "a list": ("[]", "VALIDATION_ERROR", "JSON object"),
    "a number": ("5", "VALIDATION_ERROR", "JSON object"),
    "null": ("null", "VALIDATION_ERROR", "JSON object"),
    "a string": ('"reset"', "VALIDATION_ERROR", "JSON object"),
    "a binary frame": (b'{"type": "state"}', "INVALID_JSON", "text frame"),
    "binary rubbish": (b"\xff\xfe\x00", "INVALID_JSON", "text frame"),
    "an integer of 5,000 digits": (STEP % ("9" * 5000), "INVALID_JSON", "at most 1000 digits"),
    "a negative one of 5,000 digits": (STEP % ("-" + "9" * 5000), "INVALID_JSON", "at most 1000 digits"),
    "a number beyond all floats": (STEP % "1e999", "INVALID_JSON", "finite"),
    "NaN": (STEP % "NaN", "INVALID_JSON", "finite"),
    "Infinity": (STEP % "Infinity", "INVALID_JSON", "finite"),
    "-Infinity": (STEP % "-Infinity", "INVALID_JSON", "finite"),
    "deep nesting": (STEP % ("[" * 100_000 + "]" * 100_000), "INVALID_JSON", "nested at most"),
    "nesting that is never closed": ("[" * 500_000, "INVALID_JSON", "nested at most"),
    "nesting that Python can just read": (STEP % ("[" * 300 + "]" * 300), "INVALID_JSON", "nested at most"),
    "half a surrogate pair": ('{"type": "\\ud800"}', "INVALID_JSON", "surrogate"),
    "half a surrogate pair in an id": (
        '{"type": "reset", "data": {"episode_id": "a\\uDFFFb"}}',
        "INVALID_JSON",
        "surrogate",
    ),
    "half a surrogate pair as a key": ('{"type": "state", "\\udc00": 1}', "INVALID_JSON", "surrogate"),
    "a key twice": ('{"type": "step", "type": "state"}', "INVALID_JSON", "twice"),
    "3 million characters": (" " * 3_000_000, "VALIDATION_ERROR", "too large"),
}


@pytest.mark.parametrize(("frame", "code", "says"), BROKEN.values(), ids=BROKEN)
def test_a_frame_that_is_no_message_leaves_the_session_alive(
    steady: Session, frame: str | bytes, code: str, says: str
) -> None:
    message = steady.refused(frame, code)
    assert says in message
    assert len(message) < 600


@pytest.mark.parametrize("kind", ["fly", "", None, 5, True, ["step"], {"type": "step"}, "x" * 100_000])
def test_a_message_of_unknown_type_is_told_the_types(steady: Session, kind: object) -> None:
    message = steady.refused({"type": kind}, "UNKNOWN_TYPE")
    assert "reset, step, state, close, mcp" in message
    assert len(message) < 600


def test_a_message_without_a_type_is_told_the_types(steady: Session) -> None:
    assert "reset, step, state, close, mcp" in steady.refused({"data": {}}, "UNKNOWN_TYPE")


@pytest.mark.parametrize(
    ("frame", "says"),
    [
        ({"type": "step"}, "a step is"),
        ({"type": "step", "data": None}, "a step is"),
        ({"type": "step", "data": [0, 1]}, "a step is"),
        ({"type": "step", "data": {}, "seed": 1}, "seed: Extra inputs are not permitted"),
        ({"type": "reset", "data": 5}, "a reset is"),
        ({"type": "reset", "seed": 5}, "seed: Extra inputs are not permitted"),
        ({"type": "state", "data": {}}, "data: Extra inputs are not permitted"),
        ({"type": "close", "now": True}, "now: Extra inputs are not permitted"),
        ({"type": "mcp"}, "an MCP message is"),
    ],
)
def test_a_message_of_wrong_shape_is_told_the_shape(
    steady: Session, frame: dict[str, object], says: str
) -> None:
    assert says in steady.refused(frame, "VALIDATION_ERROR")


BAD_ACTIONS: dict[str, dict[str, object]] = {
    "nothing": {},
    "no index": {"action_type": 1},
    "no type": {"target_index": 0},
    "a negative index": {"target_index": -1, "action_type": 1},
    "a boolean index": {"target_index": True, "action_type": 1},
    "an index as text": {"target_index": "1", "action_type": 1},
    "an index as a float": {"target_index": 1.0, "action_type": 1},
    "a null index": {"target_index": None, "action_type": 1},
    "an index in a list": {"target_index": [1], "action_type": 1},
    "type 0": {"target_index": 0, "action_type": 0},
    "type 5": {"target_index": 0, "action_type": 5},
    "a huge type": {"target_index": 0, "action_type": 10**900},
    "a negative type": {"target_index": 0, "action_type": -1},
    "a boolean type": {"target_index": 0, "action_type": True},
    "a type as text": {"target_index": 0, "action_type": "cancel"},
    "a type as a float": {"target_index": 0, "action_type": 1.0},
    "an unknown key": {"target_index": 0, "action_type": 1, "score": 0.99},
    "an unhashable `type`": {"target_index": 0, "action_type": 1, "type": []},
    "a key called self": {"target_index": 0, "action_type": 1, "self": 1},
    "metadata that is no object": {"target_index": 0, "action_type": 1, "metadata": 1},
    "a long text": {"target_index": "1" * 1_000_000, "action_type": 1},
    "a hundred unknown keys": {f"{'k' * 900}{number}": 1 for number in range(100)},
}


@pytest.mark.parametrize("action", BAD_ACTIONS.values(), ids=BAD_ACTIONS)
def test_a_bad_action_is_told_what_an_action_is(steady: Session, action: dict[str, object]) -> None:
    answer = steady.ask({"type": "step", "data": action})
    assert answer["type"] == "error"
    assert answer["data"]["code"] == "VALIDATION_ERROR"
    assert (
        'an action is {"target_index": an integer from 0, "action_type": an integer'
        in answer["data"]["message"]
    )
    assert "1 cancel; 2 swap; 3 " in answer["data"]["message"]
    assert all(set(error) == {"type", "loc", "msg"} for error in answer["data"]["errors"])
    assert len(json.dumps(answer)) < 3_000


GATE = {"name": "H", "target_qubits": [0]}
BAD_RESETS: dict[str, tuple[dict[str, object], str]] = {
    "a negative seed": ({"seed": -1}, "seed must be an integer in 0..4294967295"),
    "a seed too large": ({"seed": 2**32}, "seed must be an integer in 0..4294967295"),
    "a seed of 900 digits": ({"seed": 10**900}, "seed must be an integer in 0..4294967295"),
    "a seed as text": ({"seed": "42"}, "seed must be an integer in 0..4294967295"),
    "a boolean seed": ({"seed": True}, "seed must be an integer in 0..4294967295"),
    "a float seed": ({"seed": 1.0}, "seed must be an integer in 0..4294967295"),
    "a seed in a list": ({"seed": [1]}, "seed must be an integer in 0..4294967295"),
    "an unknown task": ({"task": "extreme"}, "the tasks are easy, medium, hard and random"),
    "a task as a number": ({"task": 1}, "the tasks are easy, medium, hard and random"),
    "a task in a list": ({"task": ["easy"]}, "the tasks are easy, medium, hard and random"),
    "a task in capitals": ({"task": "EASY"}, "the tasks are easy, medium, hard and random"),
    "hints as text": ({"hints": "yes"}, "hints must be true or false"),
    "hints as a number": ({"hints": 1}, "hints must be true or false"),
    "null hints": ({"hints": None}, "hints must be true or false"),
    "an id as a number": ({"episode_id": 5}, "episode_id must be a string of at most 255 characters"),
    "an id too long": ({"episode_id": "x" * 256}, "episode_id must be a string of at most 255 characters"),
    "an unknown key": ({"difficulty": 1}, "arguments are seed, episode_id, task, hints, circuit, num_qubits"),
    "a key called self": ({"self": 1}, "arguments are seed, episode_id, task, hints, circuit, num_qubits"),
    "a key called options": ({"options": {}}, "arguments are seed, episode_id, task, hints"),
    "a key of 100,000 characters": ({"k" * 100_000: 1}, "arguments are seed, episode_id, task, hints"),
    "a split": ({"split": "test", "index": 1}, "arguments are seed, episode_id, task, hints"),
    "a time-out": ({"timeout_s": 1.0}, "arguments are seed, episode_id, task, hints"),
    "qubits without a circuit": ({"num_qubits": 2}, "num_qubits must come with circuit"),
    "a circuit without qubits": ({"circuit": [GATE]}, "num_qubits must be an integer in 1..64"),
    "a circuit on 65 qubits": (
        {"circuit": [GATE], "num_qubits": 65},
        "num_qubits must be an integer in 1..64",
    ),
    "a circuit on no qubits": ({"circuit": [], "num_qubits": 0}, "num_qubits must be an integer in 1..64"),
    "qubits as a boolean": (
        {"circuit": [GATE], "num_qubits": True},
        "num_qubits must be an integer in 1..64",
    ),
    "a circuit and a seed": (
        {"circuit": [GATE], "num_qubits": 1, "seed": 1},
        "seed and circuit exclude each other",
    ),
    "a circuit graded at random": (
        {"circuit": [GATE], "num_qubits": 1, "task": "random"},
        "graded as one of easy, medium, hard",
    ),
    "a circuit as text": (
        {"circuit": "H 0", "num_qubits": 1},
        "circuit must be a list of at most 10000 gates",
    ),
    "a circuit as an object": ({"circuit": {"0": GATE}, "num_qubits": 1}, "circuit must be a list"),
    "a circuit of 10,001 gates": (
        {"circuit": [GATE] * (MAX_GATES + 1), "num_qubits": 1},
        "at most 10000 gates, got 10001",
    ),
    "a gate that is no object": ({"circuit": [1], "num_qubits": 1}, "gate 0"),
    "a gate without qubits": ({"circuit": [GATE, {"name": "H"}], "num_qubits": 1}, "gate 1"),
    "a gate with more keys": ({"circuit": [{**GATE, "angle": 1}], "num_qubits": 1}, "gate 0"),
    "an unknown gate": (
        {"circuit": [{"name": "T", "target_qubits": [0]}], "num_qubits": 1},
        "the gates are H, X, Y, Z, CNOT, CZ, SWAP",
    ),
    "a gate name of a million characters": (
        {"circuit": [{"name": "T" * 1_000_000, "target_qubits": [0]}], "num_qubits": 1},
        "gate 0",
    ),
    "a gate name that is a list": (
        {"circuit": [{"name": ["H"], "target_qubits": [0]}], "num_qubits": 1},
        "gate 0",
    ),
    "a gate on a boolean": (
        {"circuit": [{"name": "H", "target_qubits": [False]}], "num_qubits": 1},
        "gate 0",
    ),
    "a gate on a float": ({"circuit": [{"name": "H", "target_qubits": [0.0]}], "num_qubits": 1}, "gate 0"),
    "a gate on text": ({"circuit": [{"name": "H", "target_qubits": "0"}], "num_qubits": 1}, "gate 0"),
    "a gate outside the circuit": (
        {"circuit": [{"name": "H", "target_qubits": [1]}], "num_qubits": 1},
        "gate 0",
    ),
    "a gate below the circuit": (
        {"circuit": [{"name": "H", "target_qubits": [-1]}], "num_qubits": 1},
        "gate 0",
    ),
    "a gate on one qubit twice": (
        {"circuit": [{"name": "CZ", "target_qubits": [1, 1]}], "num_qubits": 2},
        "2 distinct qubits",
    ),
    "a gate on a thousand qubits": (
        {"circuit": [{"name": "H", "target_qubits": list(range(1000))}], "num_qubits": 2},
        "gate 0",
    ),
}


@pytest.mark.parametrize(("arguments", "says"), BAD_RESETS.values(), ids=BAD_RESETS)
def test_a_bad_reset_is_told_what_is_allowed_and_the_episode_goes_on(
    steady: Session, arguments: dict[str, object], says: str
) -> None:
    message = steady.refused({"type": "reset", "data": arguments}, "VALIDATION_ERROR")
    assert says in message
    assert len(message) < 600


def test_a_frame_of_more_than_the_transport_takes_ends_only_its_own_session(server_url: str) -> None:
    from websockets.exceptions import ConnectionClosed

    with session(server_url) as loud, session(server_url) as other:
        other.reset(seed=1)
        with pytest.raises(ConnectionClosed):
            loud.ask(" " * (17 * 2**20))
        assert other.state()["step_count"] == 0


def test_a_goodbye_closes_the_socket(server_url: str) -> None:
    from websockets.exceptions import ConnectionClosedOK

    with session(server_url) as one, pytest.raises(ConnectionClosedOK):
        one.ask({"type": "close"})
