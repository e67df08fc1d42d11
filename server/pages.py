"""What the server answers to somebody who comes by: JSON for programs, a small page for people."""

import json
import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING, Final

from fastapi import Request
from fastapi.responses import HTMLResponse, JSONResponse, Response

from qrewrite.circuits.drawing import draw_text
from qrewrite.tasks import GAME_VERSION, TIERS, generate
from quantum_circuit_env.server.about import NAME, facts

if TYPE_CHECKING:
    from fastapi import FastAPI

_EXAMPLE: Final = ("medium", 7)
_FRAMES: Final = (
    {"type": "reset", "data": {"task": _EXAMPLE[0], "seed": _EXAMPLE[1]}},
    {"type": "step", "data": {"target_index": 0, "action_type": 2}},
)
_CLIENT: Final = f"""\
from quantum_circuit_env import QuantumCircuitAction, QuantumCircuitEnv

with QuantumCircuitEnv(base_url="https://…").sync() as env:
    print(env.reset(task="{_EXAMPLE[0]}", seed={_EXAMPLE[1]}).observation.prompt)
    print(env.step(QuantumCircuitAction(target_index=0, action_type=2)).reward)
"""
_OFF: Final = (
    "the page for people is off: ENABLE_WEB_INTERFACE=true turns it on; episodes are played over /ws"
)


def add_pages(app: "FastAPI", *, web: bool) -> None:
    """Add `/`, and the page for people at `/web` if there is to be one.

    Its links are relative: they lead to the server wherever a proxy has put it.
    """

    @app.get("/", tags=["Environment Info"], summary="Where to go from here")
    async def root(request: Request) -> Response:
        vary = {"Vary": "Accept"}
        if web and _wants_html(request.headers.get("accept", "")):
            return _page("", vary)
        return JSONResponse(where_to_go(), headers=vary)

    @app.get("/web", include_in_schema=False)
    async def page() -> Response:
        return _page("") if web else JSONResponse({"detail": _OFF}, status_code=404)

    @app.get("/web/", include_in_schema=False)
    async def page_one_deeper() -> Response:
        return _page("../") if web else JSONResponse({"detail": _OFF}, status_code=404)


def where_to_go() -> dict[str, str]:
    """Return what this server is and where its parts are."""
    about = facts()
    return {
        "name": NAME,
        "description": about.description,
        "version": about.version,
        "game_version": GAME_VERSION,
        "play": "/ws",
        "docs": "/docs",
        "schema": "/schema",
        "health": "/health",
    }


def _wants_html(accept: str) -> bool:
    """Say whether an Accept header prefers HTML to JSON, as browsers do; of equals the first counts."""
    wanted: dict[str, float] = {}
    for part in accept.lower().split(","):
        kind, _, parameters = part.partition(";")
        quality = re.search(r"(?:^|;)\s*q=([01](?:\.\d{0,3})?)\s*(?:;|$)", parameters)
        wanted.setdefault(kind.strip(), float(quality[1]) if quality else 1.0)
    kinds = [kind for kind in wanted if kind in ("text/html", "application/json") and wanted[kind] > 0]
    return max(kinds, key=wanted.__getitem__, default="") == "text/html"


def _page(up: str, headers: dict[str, str] | None = None) -> HTMLResponse:
    html, policy = _rendered(up)
    return HTMLResponse(
        html,
        headers={
            "Content-Security-Policy": policy,
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            **(headers or {}),
        },
    )


@cache
def _rendered(up: str) -> tuple[str, str]:
    """Return the page and its content security policy.

    Args:
        up: path from the page's folder to the server's root.
    """
    about, (task, seed) = facts(), _EXAMPLE
    words = {
        "description": about.description,
        "task": task,
        "seed": seed,
        "gate_count": TIERS[task].gate_count,
        "par": TIERS[task].par,
        "drawing": draw_text(generate(task, seed), width=90),
        "frames": "\n".join(map(json.dumps, _FRAMES)),
        "client": _CLIENT,
        "up": up,
        "version": about.version,
        "game_version": GAME_VERSION,
    }
    template = (files("quantum_circuit_env.server") / "page.html").read_text(encoding="utf-8")
    html = Template(template).substitute({name: escape(str(word)) for name, word in words.items()})
    style = html.partition("<style>")[2].partition("</style>")[0]
    digest = b64encode(sha256(style.encode()).digest()).decode()
    # A Space is shown inside a page of Hugging Face's.
    policy = (
        f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'self' https://huggingface.co https://*.hf.space"
    )
    return html, policy
