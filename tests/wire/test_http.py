"""HTTP over a real socket: bodies are as strict as frames, and episodes are played over /ws."""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import jsonschema
import pytest

from qrewrite.tasks import TIERS
from support.bad_input import BAD_ACTIONS, BAD_RESETS
from support.sockets import session

JSON = {"content-type": "application/json"}
ACTION = {"target_index": 0, "action_type": 1}


@pytest.fixture(scope="module")
def http(server_url: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server_url, trust_env=False, timeout=60) as client:
        yield client


def test_health(http: httpx.Client) -> None:
    answer = http.get("/health")
    assert (answer.status_code, answer.json()) == (200, {"status": "healthy"})


def test_the_root_says_where_to_go(http: httpx.Client) -> None:
    told = http.get("/").raise_for_status().json()
    assert told["name"] == "quantum_circuit_env"
    assert told["play"] == "/ws"
    assert all(http.get(told[page]).status_code == 200 for page in ("docs", "health", "schema"))


def test_the_openapi_document_is_one_that_openenv_accepts(http: httpx.Client) -> None:
    document = http.get("/openapi.json").raise_for_status().json()
    assert document["info"]["version"].startswith("1.")
    assert {"/reset", "/step", "/state"} <= set(document["paths"])


def test_metadata_names_the_package(http: httpx.Client) -> None:
    told = http.get("/metadata").raise_for_status().json()
    assert told["name"] == "quantum_circuit_env"
    assert "rewrite rules" in told["description"]


def test_state_over_http_is_that_of_a_session_without_episode(
    http: httpx.Client, schema: dict[str, Any]
) -> None:
    state = http.get("/state").raise_for_status().json()
    assert state.pop("step_count") == 0
    assert set(state) == set(schema["state"]["properties"]) - {"step_count"}
    assert set(state.values()) == {None}


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (b"{}", JSON),
        (b"", JSON),
        (b"", {}),
        (b" \n", JSON),
        (b"{}", {}),
        (b"{}", {"content-type": "application/x-www-form-urlencoded"}),
        (b"{}", {"content-type": "text/plain"}),
    ],
)
def test_a_reset_with_nothing_answers_at_once(
    http: httpx.Client, schema: dict[str, Any], body: bytes, headers: dict[str, str]
) -> None:
    answer = http.post("/reset", content=body, headers=headers)
    assert answer.status_code == 200
    data = answer.json()
    seen = {**data["observation"], "reward": data["reward"], "done": data["done"]}
    jsonschema.Draft202012Validator(schema["observation"]).validate(seen)
    assert seen["metadata"]["task"] in TIERS


def test_a_reset_over_http_shows_what_one_over_the_socket_shows(http: httpx.Client, server_url: str) -> None:
    arguments = {"task": "medium", "seed": 11, "hints": True, "episode_id": "x"}
    with session(server_url) as one:
        assert http.post("/reset", json=arguments).json() == one.reset(**arguments)


def test_a_reset_over_http_takes_an_own_circuit(http: httpx.Client) -> None:
    gates = [{"name": "H", "target_qubits": [0]}] * 3_000
    data = http.post("/reset", json={"circuit": gates, "num_qubits": 1}).json()
    assert data["observation"]["gate_count"] == 3_000


@pytest.mark.parametrize(("arguments", "says"), BAD_RESETS.values(), ids=BAD_RESETS)
def test_a_bad_reset_over_http_is_told_what_is_allowed(
    http: httpx.Client, arguments: dict[str, object], says: str
) -> None:
    answer = http.post("/reset", json=arguments)
    assert answer.status_code == 422
    (error,) = answer.json()["detail"]
    assert says in error["msg"]
    assert error["loc"][0] == "body"
    assert len(answer.content) < 1_000


@pytest.mark.parametrize("action", BAD_ACTIONS.values(), ids=BAD_ACTIONS)
def test_a_bad_action_over_http_is_told_what_an_action_is(
    http: httpx.Client, action: dict[str, object]
) -> None:
    answer = http.post("/step", json={"action": action})
    assert answer.status_code == 422
    assert "an action is" in answer.json()["detail"][-1]["msg"]
    assert len(answer.content) < 3_000


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"action": None},
        {"action": ACTION, "render": True},
        {"action": ACTION, "timeout_s": "30"},
        {"action": ACTION, "timeout_s": 0},
        {"action": ACTION, "timeout_s": True},
        {"action": ACTION, "request_id": 5},
        ACTION,
    ],
)
def test_a_bad_step_body_is_refused(http: httpx.Client, body: dict[str, object]) -> None:
    answer = http.post("/step", json=body)
    assert answer.status_code == 422
    assert "an action is" in answer.json()["detail"][-1]["msg"]


@pytest.mark.parametrize("more", [{}, {"timeout_s": 30}, {"timeout_s": None, "request_id": "r"}])
def test_a_good_step_over_http_is_sent_to_the_socket(http: httpx.Client, more: dict[str, object]) -> None:
    answer = http.post("/step", json={"action": ACTION, **more})
    assert answer.status_code == 409
    assert "/ws" in answer.json()["detail"]


@pytest.mark.parametrize("path", ["/reset", "/step", "/quantum_circuit_env/tasks"])
@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"{nonsense", "not JSON"),
        (b"\xff\xfe", "UTF-8"),
        (b'{"seed": NaN}', "finite"),
        (b'{"seed": 1e999}', "finite"),
        (b'{"seed": ' + b"9" * 5_000 + b"}", "at most 1000 digits"),
        (b'{"seed": ' + b"[" * 100_000, "nested at most"),
        (b'{"episode_id": "\\ud800"}', "surrogate"),
        (b'{"seed": 1, "seed": 2}', "twice"),
    ],
)
def test_a_body_that_is_no_json_is_refused(http: httpx.Client, path: str, body: bytes, says: str) -> None:
    answer = http.post(path, content=body, headers=JSON)
    assert answer.status_code == 422
    assert says in answer.json()["detail"][0]["msg"]


@pytest.mark.parametrize("path", ["/reset", "/step"])
@pytest.mark.parametrize("body", ["[]", "5", "null", '"x"'])
def test_a_body_that_is_no_object_is_refused(http: httpx.Client, path: str, body: str) -> None:
    answer = http.post(path, content=body, headers=JSON)
    assert answer.status_code == 422
    assert "JSON object" in answer.json()["detail"][0]["msg"]


@pytest.mark.parametrize("path", ["/reset", "/step", "/mcp", "/quantum_circuit_env/tasks"])
def test_a_body_without_end_is_cut_off(http: httpx.Client, path: str) -> None:
    sent = 0

    def endless() -> Iterator[bytes]:
        nonlocal sent
        for _ in range(64):
            sent += 2**16
            yield b" " * 2**16

    answer = http.post(path, content=endless())
    assert answer.status_code == 413
    assert "at most" in answer.json()["detail"]
    assert http.get("/health").status_code == 200


def test_other_methods_and_paths_are_answered_as_such(http: httpx.Client) -> None:
    assert http.get("/reset").status_code == 405
    assert http.put("/step", json={}).status_code == 405
    assert http.get("/nowhere").status_code == 404


def test_a_reset_over_http_takes_no_session(http: httpx.Client, server_url: str) -> None:
    for _ in range(300):
        http.post("/reset", json={"task": "easy", "seed": 1})
    with session(server_url) as one:
        assert json.dumps(one.reset(seed=1))
