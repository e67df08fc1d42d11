"""What the server answers to somebody who comes by: JSON for programs, the playground for people."""

import re
from typing import TYPE_CHECKING, Final

from fastapi import Request
from fastapi.responses import JSONResponse, Response

from qrewrite.tasks import GAME_VERSION
from quantum_circuit_env.server.about import NAME, facts
from quantum_circuit_env.server.playground import add_playground, page

if TYPE_CHECKING:
    from fastapi import FastAPI

_OFF: Final = (
    "the page for people is off: ENABLE_WEB_INTERFACE=true turns it on; episodes are played over /ws"
)


def add_pages(app: "FastAPI", *, web: bool) -> None:
    """Add `/`, and the page for people at `/web` if there is to be one."""

    @app.get("/", tags=["Environment Info"], summary="Where to go from here")
    async def root(request: Request) -> Response:
        vary = {"Vary": "Accept"}
        if web and _wants_html(request.headers.get("accept", "")):
            return page("", vary)
        return JSONResponse(where_to_go(), headers=vary)

    if web:
        add_playground(app)
        return

    @app.get("/web", include_in_schema=False)
    @app.get("/web/{file:path}", include_in_schema=False)
    async def off() -> Response:
        return JSONResponse({"detail": _OFF}, status_code=404)


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
