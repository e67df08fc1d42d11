"""docs/wire.md is true: its examples are sent to a server, its lists are those of the code."""

import json
import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from openenv.core.env_server.types import WSErrorCode
from websockets.exceptions import ConnectionClosedOK

from qrewrite.circuits import MAX_GATES, MAX_QUBITS
from qrewrite.game import Termination
from qrewrite.rules import ActionResult
from quantum_circuit_env.server.limits import DEFAULT
from quantum_circuit_env.server.strict_json import MAX_DEPTH, MAX_DIGITS
from support.sockets import session

DOCS = (Path(__file__).parents[2] / "docs" / "wire.md").read_text("utf-8")
ANY = "…"


class Exchange(NamedTuple):
    """A frame and the answer to it; without an answer the socket closes."""

    frame: str
    answer: Any


def sections() -> dict[str, str]:
    """Heading of each section, of whatever level → its text."""
    parts = re.split(r"^#{2,3} (.*)$", DOCS, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def conversations() -> dict[str, list[Exchange]]:
    """Section → the exchanges that one session has in it."""
    found = {}
    for heading, text in sections().items():
        blocks = re.findall(r"^```json (request|reply)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
        if blocks:
            found[heading] = list(_exchanges(blocks))
    return found


def _exchanges(blocks: list[tuple[str, str]]) -> Iterator[Exchange]:
    for position, (kind, text) in enumerate(blocks):
        if kind == "request":
            following = blocks[position + 1 : position + 2]
            answered = bool(following) and following[0][0] == "reply"
            yield Exchange(text, json.loads(following[0][1]) if answered else None)


def table(heading: str, number: int = 0) -> list[list[str]]:
    """Cells of the body of a section's table; code cells without their backticks."""
    lines = sections()[heading].splitlines()
    tables = [list(group) for is_row, group in groupby(lines, lambda line: line.startswith("|")) if is_row]
    return [
        [re.sub("^`(.*)`$", r"\1", cell.strip()) for cell in line.strip("|").split("|")]
        for line in tables[number][2:]
    ]


def agrees(documented: Any, real: Any) -> bool:
    """Say whether an answer is the documented one, where … stands for anything."""
    if documented == ANY:
        return True
    if isinstance(documented, dict) and isinstance(real, dict):
        named = documented.keys() - {ANY}
        complete = ANY in documented or named == real.keys()
        return complete and all(key in real and agrees(documented[key], real[key]) for key in named)
    if isinstance(documented, list) and isinstance(real, list):
        if documented[-1:] == [ANY]:
            documented = documented[:-1]
            real = real[: len(documented)]
        return len(documented) == len(real) and all(map(agrees, documented, real))
    if isinstance(documented, str) and isinstance(real, str):
        return re.fullmatch(".*".join(map(re.escape, documented.split(ANY))), real, re.DOTALL) is not None
    return type(documented) is type(real) and documented == real


def check(documented: Any, real: Any) -> None:
    assert agrees(documented, real), f"documented: {documented}\nanswered: {real}"


@pytest.mark.parametrize(
    ("documented", "real", "expected"),
    [
        ({"a": 1}, {"a": 1}, True),
        ({"a": 1}, {"a": 1, "b": 2}, False),
        ({"a": 1, ANY: ANY}, {"a": 1, "b": 2}, True),
        ({"a": 1, ANY: ANY}, {"b": 2}, False),
        ([1, ANY], [1, 2, 3], True),
        ([1, ANY], [2, 3], False),
        ([1], [1, 2], False),
        ("x…z", "xyz", True),
        ("x…z", "xy", False),
        (1, 1.0, False),
        (None, False, False),
    ],
)
def test_an_example_can_be_wrong(documented: Any, real: Any, expected: bool) -> None:
    assert agrees(documented, real) is expected


@pytest.mark.parametrize(("heading", "exchanges"), conversations().items(), ids=conversations())
def test_conversations(server_url: str, heading: str, exchanges: list[Exchange]) -> None:
    with session(server_url) as one:
        for frame, answer in exchanges:
            if answer is None:
                with pytest.raises(ConnectionClosedOK):
                    one.ask(frame)
            else:
                check(answer, one.ask(frame))


def test_the_conversations_have_every_kind_of_message() -> None:
    frames = [json.loads(one.frame) for exchanges in conversations().values() for one in exchanges]
    assert {frame["type"] for frame in frames} == {row[0] for row in table("Messages on `/ws`")}


def test_refused_frames(server_url: str) -> None:
    with session(server_url) as one:
        for frame, code, message in table("Frames that are refused"):
            check(message, one.refused(frame, code))


def test_refused_resets(server_url: str) -> None:
    documented = {row[0] for row in table("Arguments of a reset")}
    with session(server_url) as one:
        for arguments, message in table("Resets that are refused"):
            answer = one.ask(f'{{"type": "reset", "data": {arguments}}}')
            check({"message": message, "code": "VALIDATION_ERROR", "errors": [ANY]}, answer["data"])
            (complaint,) = answer["data"]["errors"]
            assert complaint["type"] == "reset_argument"
            assert complaint["msg"] == answer["data"]["message"]
            assert message.startswith("reset has no argument") or complaint["loc"][0] in documented


def test_json_rpc(server_url: str) -> None:
    with session(server_url, "/mcp") as one:
        for request, code, message in table("Requests to `/mcp`"):
            posted = httpx.post(f"{server_url}/mcp", content=request, trust_env=False, timeout=60)
            for answer in (posted.json(), one.ask(request)):
                check({"code": int(code), "message": message, "data": None}, answer["error"])


def test_http(server_url: str) -> None:
    with httpx.Client(base_url=server_url, trust_env=False, timeout=60) as http:
        for request, body, status, expected in table("Requests and answers"):
            method, path = request.split()
            answer = http.request(method, path, content=body)
            assert answer.status_code == int(status), request
            check(json.loads(expected), answer.json())


def test_every_route_is_listed(server_url: str) -> None:
    published = httpx.get(f"{server_url}/openapi.json", trust_env=False, timeout=60).json()["paths"]
    text = sections()["HTTP"]
    routes = {f"{method.upper()} {path}" for path, methods in published.items() for method in methods}
    assert {route for route in routes if f"`{route}`" not in text} == set()


def test_sizes_are_those_of_the_code() -> None:
    assert [row[1] for row in table("Sizes")] == [
        f"{DEFAULT.message_bytes:,} bytes",
        "16 MiB",
        f"{DEFAULT.message_bytes:,} bytes",
        f"{MAX_DEPTH}",
        f"{MAX_DIGITS:,} characters",
        f"{MAX_GATES:,} gates on {MAX_QUBITS} qubits",
    ]


def test_closed_sets_are_those_of_the_game() -> None:
    assert [row[0] for row in table("Closed sets", 0)] == [one.value for one in ActionResult]
    assert [row[0] for row in table("Closed sets", 1)] == [one.value for one in Termination]


def test_error_codes_are_those_of_openenv() -> None:
    assert {row[0] for row in table("Errors on `/ws`")} == {code.value for code in WSErrorCode}


def test_arguments_are_those_of_a_reset(server_url: str) -> None:
    with session(server_url) as one:
        told = one.refused({"type": "reset", "data": {"?": 0}}, "VALIDATION_ERROR")
    allowed = told.partition("its arguments are ")[2].split(", ")
    assert [row[0] for row in table("Arguments of a reset")] == allowed
