"""The playground: the page on which people play, the files that it consists of, and its drawings."""

import asyncio
import json
from base64 import b64encode
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING, Any, Final

from fastapi import Request
from fastapi.responses import HTMLResponse, JSONResponse, Response
from fastapi.staticfiles import StaticFiles

from qrewrite.circuits import Circuit, GameError
from qrewrite.circuits.svg import STYLE, columns_within, draw_svg
from qrewrite.tasks import GAME_VERSION
from quantum_circuit_env.server.about import facts
from quantum_circuit_env.server.game_facts import FOLDER, PACKAGE, game_facts
from quantum_circuit_env.server.strict_json import MalformedError, loads

if TYPE_CHECKING:
    from fastapi import FastAPI

EXAMPLE: Final = ("medium", 7)
"""Task and seed of the examples on the page."""

MAX_DRAWN: Final = 2_000
"""Most gates of a circuit that is drawn; a larger one would hold up the sessions."""

_CLIENT: Final = f"""\
from quantum_circuit_env import QuantumCircuitAction, QuantumCircuitEnv

with QuantumCircuitEnv(base_url="https://…").sync() as env:
    print(env.reset(task="{EXAMPLE[0]}", seed={EXAMPLE[1]}).observation.prompt)
    print(env.step(QuantumCircuitAction(target_index=0, action_type=2)).reward)
"""
_FRAMES: Final = (
    {"type": "reset", "data": {"task": EXAMPLE[0], "seed": EXAMPLE[1]}},
    {"type": "step", "data": {"target_index": 0, "action_type": 2}},
)
_HEADERS: Final = {"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"}


def add_playground(app: "FastAPI") -> None:
    """Add the page at `/web`, its files below it, and `/web/drawing`, which draws a circuit.

    All its links are relative: they lead to this server wherever a proxy has put it.
    """

    @app.get("/web", include_in_schema=False)
    async def at_web() -> Response:
        return page("")

    @app.get("/web/", include_in_schema=False)
    async def one_deeper() -> Response:
        return page("../")

    app.post("/web/drawing", include_in_schema=False)(_draw)
    app.mount("/web", _Files(packages=[(PACKAGE, FOLDER)]))


def page(up: str, headers: Mapping[str, str] | None = None) -> HTMLResponse:
    """Return the page.

    Args:
        up: path from the page's folder to the server's root.
        headers: headers beside those that the page always has.
    """
    return HTMLResponse(
        _rendered(up), headers={"Content-Security-Policy": _policy(), **_HEADERS, **(headers or {})}
    )


async def _draw(request: Request) -> Response:
    """Draw the circuit of an observation; `width` says how many pixels there are for it."""
    try:
        # On a thread, since it takes as long as many steps.
        drawing = await asyncio.to_thread(_drawing, await request.body())
    except (MalformedError, GameError) as error:
        return JSONResponse({"detail": str(error)}, status_code=422)
    return Response(drawing, media_type="image/svg+xml", headers=_HEADERS)


def _drawing(body: bytes) -> str:
    asked = loads(body)
    if not isinstance(asked, dict) or not {"circuit", "num_qubits"} <= asked.keys() <= _ASKED:
        raise MalformedError("the body is an object with circuit and num_qubits, and perhaps width")
    gates, width = asked["circuit"], asked.get("width")
    if not isinstance(gates, list) or len(gates) > MAX_DRAWN:
        raise MalformedError(f"circuit is a list of at most {MAX_DRAWN} gates")
    if width is not None and (type(width) is not int or width < 0):
        raise MalformedError("width is a number of pixels, an integer from 0")
    circuit = Circuit.from_records(gates, num_qubits=asked["num_qubits"])
    return draw_svg(circuit, columns=None if width is None else columns_within(width, circuit.num_qubits))


_ASKED: Final = {"circuit", "num_qubits", "width"}


class _Files(StaticFiles):
    """The files of the page, which a browser may keep as long as they have not changed."""

    def file_response(self, *arguments: Any, **options: Any) -> Response:
        answer = super().file_response(*arguments, **options)
        answer.headers.update({"Cache-Control": "no-cache", **_HEADERS})
        return answer


@cache
def _rendered(up: str) -> str:
    about = facts()
    # Named here, all modules are fetched at once, and not each when another is found to need it.
    modules = sorted(file.name for file in (files(PACKAGE) / FOLDER).iterdir() if file.name.endswith(".js"))
    preloads = "\n".join(f'<link rel="modulepreload" href="{up}web/{name}">' for name in modules)
    words = {
        "description": about.description,
        "frames": "\n".join(map(json.dumps, _FRAMES)),
        "client": _CLIENT,
        "up": up,
        "version": about.version,
        "game_version": GAME_VERSION,
    }
    template = (files(PACKAGE) / "page.html").read_text(encoding="utf-8")
    # Within a script nothing is unescaped, and only "<" could end it.
    game = json.dumps(game_facts()).replace("<", "\\u003c")
    escaped = {name: escape(word) for name, word in words.items()}
    return Template(template).substitute(escaped, game=game, modules=preloads)


@cache
def _policy() -> str:
    """Return the page's content security policy: nothing but its files, and this server."""
    digest = b64encode(sha256(STYLE.encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'self'; style-src 'self' 'sha256-{digest}'; connect-src 'self'; "
        "img-src 'self' data:; base-uri 'none'; form-action 'none'; "
        # A Space is shown inside a page of Hugging Face's.
        "frame-ancestors 'self' https://huggingface.co https://*.hf.space"
    )
