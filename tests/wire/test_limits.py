"""Limits: each has its error, which says what is allowed."""

import asyncio
import json
from typing import Any

import httpx
import pytest

from quantum_circuit_env.server.app import create_app
from quantum_circuit_env.server.bodies import answer_body
from quantum_circuit_env.server.limits import Limits
from quantum_circuit_env.server.messages import answer_frame
from quantum_circuit_env.server.service import Service
from quantum_circuit_env.server.settings import Settings
from support.channels import RESET, Client, served, step

SMALL = Limits(message_bytes=1024, circuit_gates=3, circuit_qubits=2)
GATE = {"name": "H", "target_qubits": [0]}
OWN = [
    ({"circuit": [GATE] * 3, "num_qubits": 2}, None),
    ({"circuit": [GATE] * 4, "num_qubits": 2}, "a circuit has at most 3 gates, got 4"),
    ({"circuit": [GATE], "num_qubits": 3}, "num_qubits must be an integer in 1..2, given together"),
    ({"circuit": "H", "num_qubits": 1}, "circuit must be a list of at most 3 gates"),
    ({"num_qubits": 1}, "num_qubits must come with circuit, a list of at most 3 gates"),
]


@pytest.mark.parametrize(("arguments", "told"), OWN)
def test_own_circuits(arguments: dict[str, Any], told: str | None) -> None:
    over_ws = answer_frame(json.dumps({"type": "reset", "data": arguments}), SMALL)
    over_http = answer_body("/reset", json.dumps(arguments).encode(), SMALL)
    if told is None:
        assert (over_ws, over_http) == (None, None)
    else:
        assert over_ws is not None
        assert over_http is not None
        assert json.loads(over_ws)["data"]["message"].startswith(told)
        assert over_http.body["detail"][0]["msg"].startswith(told)


@pytest.mark.parametrize(
    ("text", "exceeds"), [("x" * 1024, False), ("x" * 1025, True), ("é" * 512, False), ("é" * 513, True)]
)
def test_messages_are_measured_in_bytes(text: str, exceeds: bool) -> None:
    assert SMALL.exceeded_by(text) is exceeds


@pytest.mark.parametrize("path", ["/ws", "/mcp"])
def test_a_frame_too_large_is_refused_and_the_session_lives(path: str) -> None:
    client = Client(["x" * 1025, "y"])
    client.leave({"code": 1000, "reason": ""})
    asyncio.run(served(Service(SMALL), client, path))
    first, second = (frame.get("data") or frame["error"] for frame in client.heard())
    assert first["message"] == "too large: a message may have at most 1024 bytes"
    assert "this is not JSON" in second["message"]


def test_http_refuses_what_is_too_large_and_publishes_what_is_not() -> None:
    settings = Settings.from_environ({"MAX_MESSAGE_BYTES": "1024", "MAX_CIRCUIT_GATES": "3"})

    async def ask() -> tuple[httpx.Response, str]:
        transport = httpx.ASGITransport(create_app(settings))
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as http:
            return await http.post("/reset", content=b" " * 1025), (await http.get("/openapi.json")).text

    answer, published = asyncio.run(ask())
    assert answer.status_code == 413
    assert answer.json() == {"detail": "too large: a message may have at most 1024 bytes"}
    assert "a list of at most 3 gates" in published
    assert settings.uvicorn["ws_max_size"] == 8 * 1024


def _flood(limits: Limits, count: int) -> Client:
    client = Client([RESET, *[step(7, 1)] * count])
    client.leave({"code": 1000, "reason": ""})
    asyncio.run(served(Service(limits), client))
    return client


@pytest.mark.parametrize(
    ("limits", "told"),
    [
        (
            Limits(session_requests=10),
            "too many requests: a session may send at most 10; connect again for another session",
        ),
        (Limits(requests_per_second=10), "too many requests: a session may send at most 10 a second"),
    ],
)
def test_a_request_too_many_ends_the_session(limits: Limits, told: str) -> None:
    client = _flood(limits, 60)
    *answers, last = client.heard()
    # At a rate some more may come in the time that the others take.
    assert 10 <= len(answers) < 60
    assert {answer["type"] for answer in answers} == {"observation"}
    assert last == {"type": "error", "data": {"message": told, "code": "SESSION_ERROR"}}
    assert client.closed == (1008, told)


def test_as_many_requests_as_allowed_are_answered() -> None:
    client = _flood(Limits(session_requests=10), 9)
    assert len(client.heard()) == 10
    assert client.closed == (1000, "")


def test_a_flood_leaves_others_their_turn() -> None:
    async def main() -> int:
        service, polite = Service(), Client([RESET, step(7, 1)])
        loud = Client([RESET, *[step(0, 2)] * 1_000])
        for client in (loud, polite):
            client.leave({"code": 1000, "reason": ""})
        flooding = asyncio.create_task(served(service, loud))
        await served(service, polite)
        answered = len(loud.heard())
        await flooding
        assert len(loud.heard()) == 1_001
        return answered

    assert asyncio.run(main()) < 200
