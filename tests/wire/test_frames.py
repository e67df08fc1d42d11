"""Frames over a real socket: each bad one gets an error that says what is allowed, and the session lives."""

import json
from collections.abc import Iterator

import pytest

from support.bad_input import BAD_ACTIONS, BAD_RESETS
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
