"""JSON-RPC on /mcp: it answers, and it cannot take sessions that nobody frees."""

from typing import Any

import httpx
import pytest

from support.sockets import session

CREATE = {"jsonrpc": "2.0", "id": 7, "method": "openenv/session/create"}
MORE_THAN_THERE_ARE = 300


def _post(server_url: str, **request: Any) -> dict[str, Any]:
    answer = httpx.post(f"{server_url}/mcp", trust_env=False, timeout=60, **request)
    assert answer.status_code == 200
    body: dict[str, Any] = answer.json()
    assert body["jsonrpc"] == "2.0"
    return body


@pytest.mark.parametrize("content", [b"{}", b""])
def test_an_empty_request_is_answered_in_json_rpc(server_url: str, content: bytes) -> None:
    assert _post(server_url, content=content)["error"]["code"] == -32600


@pytest.mark.parametrize(
    "content",
    [
        b"{nonsense",
        b"\xff",
        b'{"id": NaN}',
        b"[" * 100_000,
        b'{"jsonrpc": "2.0", "id": 1, "method": "\\ud800"}',
        b'{"jsonrpc": "2.0", "method": "tools/list", "id": ' + b"9" * 5_000 + b"}",
    ],
)
def test_a_request_that_is_no_json_is_a_parse_error(server_url: str, content: bytes) -> None:
    body = _post(server_url, content=content)
    assert (body["error"]["code"], body["id"]) == (-32700, None)


@pytest.mark.parametrize("content", [b"[]", b"5", b"null"])
def test_a_request_that_is_no_object_is_invalid(server_url: str, content: bytes) -> None:
    assert _post(server_url, content=content)["error"]["code"] == -32600


def test_a_session_cannot_be_had_over_http(server_url: str) -> None:
    with httpx.Client(base_url=server_url, trust_env=False, timeout=60) as http:
        for _ in range(MORE_THAN_THERE_ARE):
            body = http.post("/mcp", json=CREATE).json()
            assert (body["error"]["code"], body["id"]) == (-32601, 7)
            assert "/ws" in body["error"]["message"]
    with session(server_url) as one:
        one.reset(seed=1)


@pytest.mark.parametrize("request_id", [None, "x", True, 1.5, [], {}])
def test_a_refusal_repeats_only_an_id_that_is_one(server_url: str, request_id: object) -> None:
    body = _post(server_url, json={**CREATE, "id": request_id})
    assert body["id"] == (request_id if isinstance(request_id, str) else None)


@pytest.mark.parametrize("method", ["tools/list", "tools/call", "openenv/session/close"])
@pytest.mark.parametrize("session_id", [["x"], {"x": 1}, 5, True, None])
def test_a_session_id_that_is_no_text_is_an_error(server_url: str, method: str, session_id: object) -> None:
    request = {"jsonrpc": "2.0", "id": 7, "method": method, "params": {"session_id": session_id}}
    body = _post(server_url, json=request)
    assert (body["error"]["code"], body["id"]) == (-32602, 7)
    assert "session_id must be a string" in body["error"]["message"]
    with session(server_url, "/mcp") as one:
        assert one.ask(request) == body


def test_a_session_cannot_be_had_over_the_mcp_socket(server_url: str) -> None:
    with session(server_url, "/mcp") as one:
        for frame in (CREATE, {**CREATE, "id": "again"}):
            answer = one.ask(frame)
            assert (answer["error"]["code"], answer["id"]) == (-32601, frame["id"])


def test_a_session_cannot_be_had_by_a_message_on_a_session(server_url: str) -> None:
    with session(server_url) as one:
        one.reset(seed=1)
        state = one.state()
        answer = one.ask({"type": "mcp", "data": CREATE})
        assert answer["type"] == "mcp"
        assert answer["data"]["error"]["code"] == -32601
        assert one.state() == state


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        ("{nonsense", -32700),
        (b"\x00", -32700),
        ("[]", -32600),
        ("null", -32600),
        ("{}", -32600),
        ("[" * 100_000, -32700),
        ('{"method": "\\ud800"}', -32700),
        (" " * 3_000_000, -32600),
        ('{"jsonrpc": "2.0", "id": 1, "method": "initialize"}', -32601),
        ('{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": []}', -32600),
    ],
)
def test_a_bad_frame_on_the_mcp_socket_leaves_it_open(server_url: str, frame: str | bytes, code: int) -> None:
    with session(server_url, "/mcp") as one:
        assert one.ask(frame)["error"]["code"] == code
        assert one.ask({"jsonrpc": "2.0", "id": 1, "method": "nothing"})["id"] == 1


def test_mcp_sockets_free_their_places(server_url: str) -> None:
    for _ in range(MORE_THAN_THERE_ARE):
        with session(server_url, "/mcp") as one:
            assert "error" in one.ask("{}")
    with session(server_url) as one:
        one.reset(seed=1)


def test_a_session_cannot_be_attached_to_by_its_id(server_url: str) -> None:
    with session(server_url, "/ws?session_id=anything") as one:
        assert "session_id" in one.hear()["data"]["message"]
    with session(server_url) as one:
        one.reset(seed=1)
